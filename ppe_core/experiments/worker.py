"""A worker process: takes jobs from standard input, a line of JSON each, and answers on standard output."""

import json
import os
import signal
import sys
import threading
from queue import SimpleQueue

from ppe_core.experiments.work import Task, get_ready, work


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no answer
    tasks: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_read, args=(tasks,), daemon=True).start()
    get_ready()
    print("ready", file=answers, flush=True)
    while True:
        outcome = work(*Task(*json.loads(tasks.get())))
        print(outcome.to_json(), file=answers, flush=True)


def _read(tasks: "SimpleQueue[str]") -> None:
    """Runs beside the work, so that the end of the parent is noticed in the middle of it."""
    for line in sys.stdin:
        tasks.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
