"""The visual gridworld on the Explore page."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

Visit = Callable[..., Page]
GRAPH = ".st-key-grid-graph .js-plotly-plot"


def choose(page: Page, environment: str) -> None:
    page.get_by_role("combobox", name="Environment").click()
    page.get_by_role("option", name=environment).click()


def test_the_gridworld_can_be_chosen_and_left_again(visit: Visit) -> None:
    page = visit(seed=5, horizon=30)
    choose(page, "Visual gridworld")
    expect(page.get_by_role("slider", name="Number of ellipses")).to_have_attribute("aria-valuetext", "5")
    expect(page.get_by_role("slider", name="Horizon H")).to_have_attribute("aria-valuetext", "8")
    expect(page.locator(".st-key-observations img")).to_be_visible()
    page.wait_for_url("**env=grid&**horizon=8&samples=2000&seed=0&**")
    choose(page, "Combination lock")
    expect(page.get_by_role("slider", name="Noise σ")).to_have_attribute("aria-valuetext", "0.1")
    expect(page.locator(".st-key-observations img").first).to_be_visible()


def test_a_run_draws_its_states_over_the_grid(visit: Visit) -> None:
    page = visit(env="grid", horizon=2, samples=300, seed=61, width=390)
    page.get_by_role("button", name="Run it and watch paths merge").click()
    expect(page.get_by_text(re.compile(r"5 ellipses, seed 61 · computed just now in"))).to_be_visible()
    numbers = page.get_by_test_id("stMetricValue")
    expect(numbers).to_have_text(["4–13", "0", "0"])
    expect(page.locator(f"{GRAPH} .scatterlayer .points path").first).to_be_visible()
    page.wait_for_function(f"document.querySelector('{GRAPH}').data.find(t => t.name === 'states').text.length === 14")
    expect(page.get_by_text(re.compile("^(F|L|R|LF|RF) (F|L|R|LF|RF)$"))).to_be_visible()
    page.wait_for_function("document.body.scrollWidth <= 390")
