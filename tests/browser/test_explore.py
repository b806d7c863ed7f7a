"""The Explore page in a real browser: run, watch, read, take away."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from ppe_core.config import RunConfig
from ppe_core.experiments.index import Status
from ppe_core.experiments.store import Store
from tests.browser.launch import settle

ROOT = Path(__file__).parents[2]
Visit = Callable[..., Page]

RECORD_PROGRESS = """() => {
    window.progress = []
    new MutationObserver(() => {
        const text = document.querySelector('[data-testid="stProgress"]')?.innerText
        const figure = document.querySelector('.st-key-river .js-plotly-plot')
        const states = figure?.data?.find(trace => trace.name === 'states')?.text?.length ?? 0
        if (text) window.progress.push([text, states])
    }).observe(document.body, {subtree: true, childList: true, characterData: true})
}"""


def press_run(page: Page) -> None:
    page.locator('[data-testid="stSidebar"]').get_by_role("button", name="Run", exact=True).click()


def switch_live_mode_off(page: Page) -> None:
    page.get_by_test_id("stSidebar").get_by_text("Live", exact=True).click()
    expect(page.get_by_role("switch", name="Live").or_(page.get_by_role("checkbox", name="Live"))).not_to_be_checked()


def wait_until_computed(page: Page) -> None:
    """Until the result is there and the river no longer changes."""
    page.get_by_text(re.compile(r"computed just now in [\d.]+ s")).wait_for()
    page.locator(".st-key-river .js-plotly-plot .xtick").first.wait_for()
    settle(page)


def number(page: Page, label: str) -> Locator:
    metric = page.get_by_test_id("stMetric").filter(has_text=label)
    return metric.get_by_test_id("stMetricValue")


def test_loading_shows_what_it_is_about_and_computes_nothing(visit: Visit, server) -> None:
    page = visit(seed=101)
    expect(page.get_by_text("What the agent sees.")).to_be_visible()
    expect(page.locator(".st-key-observations img")).to_be_visible()
    expect(page.get_by_text("Nothing has been run with these settings yet.")).to_be_visible()
    assert not (server.home / "runs" / RunConfig(seed=101).id).exists()


def test_run_recovers_the_lock_as_the_command_line_does(visit: Visit) -> None:
    page = visit()
    press_run(page)
    wait_until_computed(page)
    command = [sys.executable, "-m", "ppe_core", "run", "--json"]
    said = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    assert {level["states_found"] for level in said["levels"]} == {3}
    expect(number(page, "States recovered")).to_have_text("3")
    expect(number(page, "Wrong merges")).to_have_text(str(said["type1"]))
    expect(number(page, "Missed merges")).to_have_text(str(said["type2"]))
    assert (said["type1"], said["type2"]) == (0, 0)
    expect(page.get_by_text(" ".join(map(str, said["plan"])), exact=True)).to_be_visible()
    expect(page.locator(".st-key-river").get_by_text("30 paths")).to_have_count(4)


def test_levels_appear_while_the_run_is_under_way(visit: Visit) -> None:
    page = visit(horizon=40, samples=5000, exo_dim=200, seed=91)  # a few seconds, on a busy machine as well
    page.evaluate(RECORD_PROGRESS)
    press_run(page)
    wait_until_computed(page)
    seen = page.evaluate("window.progress")
    counts = [int(found[1]) for text, _ in seen if (found := re.match(r"Level (\d+) of 40", text))]
    assert counts == sorted(counts)
    assert len(set(counts)) >= 3
    assert any(1 < states < 1 + 3 * 40 for _, states in seen)  # the river grew meanwhile


def test_changed_controls_mark_what_is_shown_as_stale(visit: Visit) -> None:
    page = visit(horizon=2, seed=7)
    press_run(page)
    wait_until_computed(page)
    switch_live_mode_off(page)
    page.get_by_role("button", name="New seed").click()
    expect(page.get_by_text("The controls have changed. Below is still the run with Seed = 7.")).to_be_visible()
    page.get_by_role("button", name="Run with the new settings").click()
    expect(page.get_by_text("seed 8 · computed just now in")).to_be_visible()
    expect(page.get_by_text("The controls have changed")).to_have_count(0)


def test_a_run_that_stops_early_says_so(visit: Visit) -> None:
    page = visit(threshold=0)
    press_run(page)
    expect(page.get_by_text("The run stopped early: time step 3 would have 1000 paths")).to_be_visible()
    expect(number(page, "States recovered")).to_have_text("10–100")


def test_a_failed_run_says_why_and_can_be_run_again(visit: Visit, server) -> None:
    config = RunConfig.from_flat({"horizon": 2, "seed": 55})
    index = Store(server.home).index
    index.claim([config], visitor=None)
    index.set_unfinished(config.id, Status.FAILED, "Traceback\nOSError: no space left on <b>device</b>", 0)
    page = visit(horizon=2, seed=55)
    expect(page.get_by_text("The run failed: OSError: no space left on <b>device</b>")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    wait_until_computed(page)


def test_two_visitors_do_not_see_each_others_settings(visit: Visit) -> None:
    first, second = visit(horizon=3, seed=31), visit()
    first.get_by_role("button", name="New seed").click()
    first.wait_for_url("**seed=32&**")
    second.get_by_role("button", name="New seed").click()
    second.wait_for_url("**seed=1&**")
    expect(first.get_by_role("spinbutton", name="Seed")).to_have_value("32")
    assert "horizon=3&" in first.url
    assert "horizon=5&" in second.url


def test_a_phone_scrolls_the_river_and_not_the_page(visit: Visit) -> None:
    page = visit(horizon=8, seed=41, width=390)
    page.get_by_role("button", name="Run it and watch paths merge").click()
    wait_until_computed(page)
    page.wait_for_function(
        "([body, river]) => body.scrollWidth <= 390 && river.scrollWidth > river.clientWidth",
        arg=[page.locator(selector).element_handle() for selector in ("body", ".st-key-river")],
    )


def test_the_headers_of_the_river_have_the_text_colour_of_the_theme(visit: Visit) -> None:
    light = visit(horizon=1, seed=61)
    press_run(light)
    wait_until_computed(light)
    dark = visit(horizon=1, seed=61, dark=True)
    themes = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
    for page, theme in ((light, "light"), (dark, "dark")):
        red, green, blue = bytes.fromhex(themes[theme]["textColor"][1:])
        expect(page.locator(".st-key-river .xtick text")).to_have_css("fill", f"rgb({red}, {green}, {blue})")
