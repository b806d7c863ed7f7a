"""Who is next: visitors take turns, so that one person's study does not hold up another's single run."""

from collections import OrderedDict, deque
from collections.abc import Hashable, Iterator
from itertools import count


class FairQueue:
    def __init__(self) -> None:
        self._items: OrderedDict[Hashable, deque[str]] = OrderedDict()  # by visitor, the next one first

    def __len__(self) -> int:
        return sum(map(len, self._items.values()))

    def __iter__(self) -> Iterator[str]:
        """In the order in which they will be taken."""
        for turn in count():
            layer = [items[turn] for items in self._items.values() if turn < len(items)]
            if not layer:
                return
            yield from layer

    def push(self, visitor: Hashable, item: str) -> None:
        self._items.setdefault(visitor, deque()).append(item)

    def push_back(self, visitor: Hashable, item: str) -> None:
        """Return what was taken: it is the next of its visitor again."""
        self._items.setdefault(visitor, deque()).appendleft(item)

    def pop(self) -> str:
        visitor, items = self._items.popitem(last=False)
        item = items.popleft()
        if items:
            self._items[visitor] = items
        return item

    def remove(self, item: str) -> None:
        for visitor, items in self._items.items():
            if item in items:
                items.remove(item)
                if not items:
                    del self._items[visitor]
                return
