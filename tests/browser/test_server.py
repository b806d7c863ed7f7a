"""The server under stress: killed in the middle of a run, and with many visitors at once."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from ppe_core.config import RunConfig
from ppe_core.experiments.index import UNDER_WAY, Status
from ppe_core.experiments.run import run
from ppe_core.experiments.store import Store
from tests.browser.launch import tracebacks

LONG = RunConfig.from_flat({"horizon": 40, "samples": 5000, "seed": 5})
VISITORS, RUNS_EACH = 10, 3


@pytest.fixture
def pages() -> Iterator[list[Page]]:
    """To put pages of one's own in, which are closed at the end."""
    opened: list[Page] = []
    yield opened
    for page in opened:
        page.close()


def test_a_page_finds_its_run_again_when_the_server_was_killed_and_started_again(
    start_server: Callable, browser: Browser, pages: list[Page], fingerprint
) -> None:
    server = start_server()
    page = browser.new_page()
    pages.append(page)
    page.goto(f"{server.url}/?horizon={LONG.horizon}&samples={LONG.samples}&seed={LONG.seed}")
    page.locator('[data-testid="stSidebar"]').get_by_role("button", name="Run", exact=True).click()
    page.get_by_text(re.compile(r"Level [1-9]\d* of 40")).wait_for()
    server.process.kill()
    server.process.wait()
    kept = Store(server.home).files.level_count(LONG.id)
    assert 0 < kept < LONG.horizon
    start_server(server.port)
    expect(page.get_by_text(re.compile(rf"H = 40, N = 5000, noise 0\.1, seed 5 · .* · run {LONG.id}"))).to_be_visible()
    assert fingerprint(Store(server.home).record(LONG)) == fingerprint(run(LONG))


def test_thirty_runs_of_ten_visitors_all_finish_and_the_page_stays_responsive(
    start_server: Callable, context: BrowserContext, pages: list[Page]
) -> None:
    server = start_server()
    configs = []
    for visitor in range(VISITORS):
        page = context.new_page()
        pages.append(page)
        seed = 1000 + RUNS_EACH * visitor
        page.goto(f"{server.url}/studies?horizon=40&samples=1500&seed={seed}&x=noise&x_values=0.1&y=nothing"
                  f"&seeds={RUNS_EACH}")  # fmt: skip
        page.get_by_role("button", name=f"Run all {RUNS_EACH}").wait_for()
        configs += [LONG.replace(samples=1500, seed=seed + i) for i in range(RUNS_EACH)]
    *others, last = pages
    for page in pages:
        page.get_by_role("button", name=f"Run all {RUNS_EACH}").click(no_wait_after=True)
    store = Store(server.home)
    while len(store.index.statuses(config.id for config in configs)) < len(configs):
        last.wait_for_timeout(50)
    for page in others:
        page.close()  # what they started goes on
    last.get_by_role("radio", name="Missed merges").first.click()
    last.get_by_text("Missed merges: pairs of paths kept apart").first.wait_for()
    finished = sum(status is Status.DONE for status in store.index.statuses(c.id for c in configs).values())
    assert finished < len(configs)  # the page answered while they ran
    expect(last.get_by_text(f"All {RUNS_EACH} runs are finished and stored.")).to_be_visible()
    while set(UNDER_WAY) & set((statuses := store.index.statuses(config.id for config in configs)).values()):
        last.wait_for_timeout(200)
    assert [statuses[config.id] for config in configs] == [Status.DONE] * 30
    assert tracebacks(server.log.read_text()) == []
