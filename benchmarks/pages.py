"""The pages beside a bare Streamlit page with one chart, in a real browser: the first chart, and live mode."""

import itertools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.timing import Row, best_times

ROOT = Path(__file__).parents[1]
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
TURNS = 5
WARM_UP_RUNS = 8
PATIENCE = 120_000  # milliseconds
CHART = ".js-plotly-plot .main-svg"
RUN_ID = '[data-testid="stCaptionContainer"] code'
RIVER = ".st-key-river .js-plotly-plot .scatterlayer"
INSIDE = "selector => document.querySelector(selector)?.innerHTML"
CHANGES = "([selector, before]) => ![undefined, before].includes(document.querySelector(selector)?.innerHTML)"


def measure() -> Iterator[Row]:
    with _server("app.py") as app, _server("benchmarks/bare_page.py") as bare, sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, CHROMIUM)))
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield _first_chart(browser, app, bare)
        yield from _live_mode(browser, app, bare)
        browser.close()


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

    def move(page: Page, role: str, name: str, key: str, shown: str) -> None:
        before = page.evaluate(INSIDE, shown)
        page.get_by_role(role, name=name).press(key)  # type: ignore[arg-type]
        page.wait_for_function(CHANGES, arg=[shown, before], timeout=PATIENCE)

    _warm_up(lab)
    best = best_times(
        {
            "noise": lambda: move(lab, "slider", "Noise σ", "ArrowUp", RUN_ID),
            "N": lambda: move(lab, "slider", "Samples N", "ArrowUp", RUN_ID),
            "H": lambda: move(lab, "slider", "Horizon H", next(steps), RIVER),
            "seed": lambda: move(lab, "button", "New seed", "Enter", RIVER),
            "bare": lambda: move(plain, "slider", "Value", "ArrowUp", ".gtitle"),
        },
        TURNS,
    )
    bare_seconds = best.pop("bare")
    what = "let go until its run is shown (live, H≈5, N≈500) / slider of a bare page"
    return [_row(f"{name} {what}", spent, bare_seconds, 3) for name, spent in best.items()]


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


def _opened(browser: Browser, url: str) -> Page:
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(url)
    page.locator(CHART).last.wait_for()
    page.locator('[data-test-script-state="notRunning"]').wait_for()
    return page


@contextmanager
def _server(script: str) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.headless", "true", "--server.port"]
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            [*command, str(port)], cwd=ROOT, env=os.environ | {"PPE_HOME": home}, stdout=subprocess.DEVNULL
        )
        try:
            _wait_until_healthy(f"http://127.0.0.1:{port}/_stcore/health")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def _wait_until_healthy(url: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(url)
