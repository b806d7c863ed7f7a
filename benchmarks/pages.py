"""The pages in a real browser, beside a bare Streamlit page with one chart where a ratio says more than seconds."""

import itertools
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page

from benchmarks.timing import Row, best_times
from ppe_core.experiments.presets import named
from tests.browser.launch import chromium, settle, start_server

TURNS = 5
WARM_UP_RUNS = 8
PATIENCE = 120_000  # milliseconds
CHART = ".js-plotly-plot .main-svg"
RUN_ID = '[data-testid="stCaptionContainer"] code'
RIVER = ".st-key-river .js-plotly-plot .scatterlayer"
MATRIX = ".st-key-gap-matrix-signature .heatmaplayer"
PAGES = {"Merge": ".st-key-merge", "Gaps": ".st-key-gap-matrix-signature", "Model": ".st-key-model-graph",
         "Explore": ".st-key-river"}  # fmt: skip
STEPPED = ("A lock in the noise", "Deeper", "Gridworld")  # presets, H = 5, 20 and 8
STEP_THROUGH = """async next => {
    const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
    const spent = []
    while (!next.disabled) {
        const start = performance.now()
        next.click()
        await drawn()
        spent.push(performance.now() - start)
    }
    return spent
}"""
INSIDE = "selector => document.querySelector(selector)?.innerHTML"
CHANGES = "([selector, before]) => ![undefined, before].includes(document.querySelector(selector)?.innerHTML)"


def measure() -> Iterator[Row]:
    with _server("app.py") as app, _server("benchmarks/bare_page.py") as bare, chromium() as browser:
        yield _first_chart(browser, app, bare)
        yield from _live_mode(browser, app, bare)
        yield _threshold(browser, app, bare)
        yield _run(browser, app)
        yield from _page_to_page(browser, app)
        yield from _stepping(browser, app)
        yield _comparison(browser, app)


def _first_chart(browser: Browser, app: str, bare: str) -> Row:
    def open_page(url: str) -> None:
        page = browser.new_context().new_page()  # an empty cache
        page.goto(url)
        page.locator(CHART).first.wait_for()
        page.context.close()

    best = best_times({"Explore": lambda: open_page(app), "bare": lambda: open_page(bare)}, TURNS)
    return _row("first chart of Explore / of a bare page", best["Explore"], best["bare"], 1.5)


def _live_mode(browser: Browser, app: str, bare: str) -> list[Row]:
    """From the key that moves a control to the page that shows the new run, each time a run never made before.

    Noise and N may leave the river as it was: there the name of the run is waited for, elsewhere the river itself.
    """
    lab, plain = (_opened(browser, url) for url in (app, bare))
    steps = itertools.cycle(("ArrowUp", "ArrowDown"))  # H stays near 5; the seed is another one each time
    _warm_up(lab)
    best = best_times(
        {
            "noise": lambda: _move(lab, "slider", "Noise σ", "ArrowUp", RUN_ID),
            "N": lambda: _move(lab, "slider", "Samples N", "ArrowUp", RUN_ID),
            "H": lambda: _move(lab, "slider", "Horizon H", next(steps), RIVER),
            "seed": lambda: _move(lab, "button", "New seed", "Enter", RIVER),
            "bare": lambda: _move(plain, "slider", "Value", "ArrowUp", ".gtitle"),
        },
        TURNS,
    )
    bare_seconds = best.pop("bare")
    what = "let go until its run is shown (live, H≈5, N≈500) / slider of a bare page"
    return [_row(f"{name} {what}", spent, bare_seconds, 3) for name, spent in best.items()]


def _threshold(browser: Browser, app: str, bare: str) -> Row:
    """From the key that moves the threshold to the matrix in its new colours."""
    gaps, plain = _opened(browser, f"{app}/gaps"), _opened(browser, bare)
    best = best_times(
        {
            "threshold": lambda: _move(gaps, "slider", "Threshold, in units", "ArrowUp", MATRIX),
            "bare": lambda: _move(plain, "slider", "Value", "ArrowUp", ".gtitle"),
        },
        2 * TURNS,
    )
    return _row("threshold moved until the matrix is redrawn / slider of a bare page", *best.values(), 2)


def _run(browser: Browser, app: str) -> Row:
    """From the click on Run to the figure of the finished run."""
    page = _opened(browser, app)
    page.get_by_test_id("stSidebar").get_by_text("Live", exact=True).click()
    spent = []
    for seed in range(900, 900 + TURNS):
        box = page.get_by_role("spinbutton", name="Seed")
        box.fill(str(seed))
        box.press("Enter")
        page.get_by_role("button", name="Run with the new settings").wait_for()
        settle(page)
        before = page.evaluate(INSIDE, RIVER)
        start = time.perf_counter()
        page.get_by_test_id("stSidebar").get_by_role("button", name="Run", exact=True).click()
        page.get_by_text(f"seed {seed} · computed just now").wait_for()
        page.wait_for_function(CHANGES, arg=[RIVER, before], timeout=PATIENCE)
        spent.append(time.perf_counter() - start)
    return _seconds("click on Run until the figure of the finished run (H=5, N=500), slowest", max(spent), 2.5)


def _page_to_page(browser: Browser, app: str) -> Iterator[Row]:
    """From the click on a page to its first chart; the slowest, after each was seen once."""
    page = _opened(browser, app)
    slowest = dict.fromkeys(PAGES, 0.0)
    for turn in range(TURNS + 1):
        for name, chart in PAGES.items():
            start = time.perf_counter()
            page.get_by_role("link", name=name).click()
            page.locator(f"{chart} .js-plotly-plot .main-svg").first.wait_for()
            if turn:
                slowest[name] = max(slowest[name], time.perf_counter() - start)
            settle(page)
    for name, spent in slowest.items():
        yield _seconds(f"from another page to {name}, slowest", spent, 1)


def _stepping(browser: Browser, app: str) -> Iterator[Row]:
    """Steps as fast as they are drawn, with the transitions that a visitor sees."""
    for name in STEPPED:
        page = _opened(browser, f"{app}/merge?{urlencode(named(name).config.flat())}")
        page.get_by_role("button", name="To the start").click()
        settle(page)
        spent = page.get_by_role("button", name="Step forward").evaluate(STEP_THROUGH)
        page.context.close()
        what = f"a step on Merge ({name}), median of {len(spent)}; slowest {max(spent):.0f} ms"
        yield Row(what, f"{median(spent):.0f} ms", "≤ 100 ms", median(spent) <= 100)


def _comparison(browser: Browser, app: str) -> Row:
    """From the click on Compare, on the page as it opens, to the last run's row: PPE, Homer and ID, three seeds."""
    page = _opened(browser, f"{app}/compare?seed=930", chart=".stApp")
    start = time.perf_counter()
    page.get_by_role("button", name="Compare them").click()
    page.get_by_text(re.compile("of 9 runs finished")).wait_for()
    page.get_by_test_id("stProgress").wait_for(state="detached")
    page.locator(".st-key-compare-accuracy .js-plotly-plot .main-svg").first.wait_for()
    return _seconds("click on Compare until PPE, Homer and ID are compared, lock, 3 seeds",
                    time.perf_counter() - start, 30)  # fmt: skip


def _move(page: Page, role: str, name: str, key: str, shown: str) -> None:
    """Press a key on a control and wait until what is shown is other than before."""
    before = page.evaluate(INSIDE, shown)
    page.get_by_role(role, name=name).press(key)  # type: ignore[arg-type]
    page.wait_for_function(CHANGES, arg=[shown, before], timeout=PATIENCE)


def _warm_up(lab: Page) -> None:
    """Until the workers are ready and estimates rest on runs made here."""
    for seed in range(1, WARM_UP_RUNS + 1):
        lab.get_by_role("button", name="New seed").click()
        shown, offer = lab.get_by_text(f"seed {seed} ·"), lab.get_by_role("button", name="Run with the new settings")
        shown.or_(offer).first.wait_for()
        if offer.is_visible():
            offer.click()
        shown.wait_for()


def _row(what: str, ours: float, bare: float, bar: float) -> Row:
    return Row(what, f"{ours / bare:.2f}× ({ours:.2f} s, {bare:.2f} s)", f"≤ {bar}×", ours <= bar * bare)


def _seconds(what: str, spent: float, bar: float) -> Row:
    return Row(what, f"{spent:.2f} s", f"≤ {bar} s", spent <= bar)


def _opened(browser: Browser, url: str, chart: str = CHART) -> Page:
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(url)
    page.locator(chart).last.wait_for()
    settle(page)
    return page


@contextmanager
def _server(script: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder), script=script)
        try:
            yield server.url
        finally:
            server.process.terminate()
            server.process.wait()
