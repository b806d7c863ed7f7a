"""The Gaps page in a real browser: move the threshold, ask about a pair, run again."""

from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from ppe_core.config import RunConfig
from ppe_core.experiments.run import run
from ppe_core.experiments.store import Store
from ppe_core.experiments.what_if import WhatIf
from ppe_core.figures.gap_matrix import cluster_order
from tests.browser.launch import settle

Visit = Callable[..., Page]
SETTINGS = {"horizon": 3, "samples": 300, "seed": 3}
CELL = """([key, row, column]) => {
    const figure = document.querySelector(`.st-key-${key} .js-plotly-plot`)
    const {xaxis, yaxis} = figure._fullLayout, box = figure.getBoundingClientRect()
    return [box.x + xaxis._offset + xaxis.d2p(column), box.y + yaxis._offset + yaxis.d2p(row)]
}"""


def open_gaps(visit: Visit, finished: Callable, **settings: object) -> Page:
    """The matrix of a finished run, as a new visitor sees it."""
    finished(**(settings or SETTINGS))
    page = visit(at="gaps", **(settings or SETTINGS))
    matrix(page).wait_for()
    settle(page)
    return page


def matrix(page: Page, gap: str = "signature") -> Locator:
    return page.locator(f".st-key-gap-matrix-{gap} .js-plotly-plot .heatmaplayer")


def number(page: Page, label: str) -> Locator:
    return page.get_by_test_id("stMetric").filter(has_text=label).get_by_test_id("stMetricValue")


def move_threshold(page: Page, steps: int) -> None:
    slider = page.get_by_role("slider", name="Threshold, in units")
    for _ in range(abs(steps)):
        slider.press("ArrowRight" if steps > 0 else "ArrowLeft")


@pytest.fixture
def page(visit: Visit, finished: Callable) -> Page:
    return open_gaps(visit, finished)


@pytest.fixture(scope="module")
def what_if() -> WhatIf:
    return WhatIf(run(RunConfig.from_flat(SETTINGS)).levels[-1], "signature")


def test_moving_the_threshold_merges_again_and_never_trains(page: Page, what_if: WhatIf, server) -> None:
    store = Store(server.home)
    before = [(row.id, row.ended) for row in store.index.rows()]
    expect(number(page, "States")).to_have_text("3")
    page.get_by_role("slider", name="Threshold, in units").press("Home")
    expect(number(page, "States")).to_have_text("30")
    expect(number(page, "Missed merges")).to_have_text("378")
    page.wait_for_function(
        "document.querySelector('.st-key-gap-matrix-signature .js-plotly-plot').data[0].colorscale[1][0] < 0.01"
    )
    page.get_by_role("slider", name="Threshold, in units").press("End")
    expected = what_if.at(2.0)
    expect(number(page, "States")).to_have_text(str(expected.states))
    expect(number(page, "Wrong merges")).to_have_text(str(expected.errors[0]))
    assert [(row.id, row.ended) for row in store.index.rows()] == before


def test_what_changed_is_named(page: Page) -> None:
    expect(page.get_by_text("This is the gap and the threshold of the run.")).to_be_visible()
    move_threshold(page, 1)
    expect(page.get_by_text("Every merge of this time step is as in the run.")).to_be_visible()
    page.get_by_role("slider", name="Threshold, in units").press("Home")
    expect(page.get_by_text("27 of 30 paths change their state: 0 pairs join, 378 pairs part.")).to_be_visible()
    page.get_by_text("Which merges changed").click()
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()


def test_both_gaps_stand_side_by_side(page: Page) -> None:
    page.get_by_role("radio", name="Both").click()
    for gap in ("signature", "paper"):
        expect(matrix(page, gap)).to_be_visible()
        expect(page.locator(f".st-key-gap-histogram-{gap} .barlayer")).to_be_visible()
    page.get_by_role("radio", name="Paper gap").click()
    expect(matrix(page, "signature")).to_have_count(0)
    expect(matrix(page, "paper")).to_be_visible()


def test_a_click_on_a_cell_tells_about_its_pair(page: Page, what_if: WhatIf) -> None:
    found = what_if.at(0.625)
    order = cluster_order(found.survivor, found.true).order
    first, second = sorted(order[[0, 9]].tolist())  # the one path to a, and one to c
    page.mouse.click(*page.evaluate(CELL, ["gap-matrix-signature", 9, 0]))
    paths = run(RunConfig.from_flat(SETTINGS)).levels[-1].found.paths
    card = page.get_by_test_id("stVerticalBlock").filter(has_text="One pair of paths.").last
    for label, path in (("First path", first), ("Second path", second)):
        name = " ".join(map(str, paths[path]))
        expect(page.get_by_role("combobox", name=label)).to_have_value(name)
    expect(card.get_by_text("ends in a: towards reward 1")).to_have_count(1)
    expect(card.get_by_text("ends in c: lost")).to_have_count(1)
    expect(card.get_by_text(f"Signature gap {found.gaps[first, second]:.3f}: kept apart, rightly")).to_be_visible()
    expect(card.get_by_text("not within the threshold of representative").first).to_be_visible()


def test_level_gap_and_threshold_are_in_the_link_and_survive_a_page_switch(page: Page, visit: Visit) -> None:
    page.get_by_role("slider", name="Time step h").press("ArrowLeft")
    page.get_by_role("radio", name="Both").click()
    move_threshold(page, 3)
    page.wait_for_url("**level=2&gaps=both&at=0.7")
    query = page.url.partition("?")[2]
    page.get_by_role("link", name="Explore").click()
    page.get_by_role("heading", name="Many action sequences").wait_for()
    settle(page)
    page.get_by_role("link", name="Gaps").click()
    page.wait_for_url("**level=2&gaps=both&at=0.7")
    expect(page.get_by_role("slider", name="Threshold, in units")).to_have_attribute("aria-valuetext", "0.7")

    other = visit(query, at="gaps")
    expect(matrix(other, "paper")).to_be_visible()
    expect(other.get_by_role("slider", name="Time step h")).to_have_attribute("aria-valuetext", "2")
    expect(other.get_by_role("slider", name="Threshold, in units")).to_have_attribute("aria-valuetext", "0.7")


def test_later_time_steps_need_a_run_that_the_page_offers(page: Page, server) -> None:
    page.get_by_role("slider", name="Time step h").press("Home")
    move_threshold(page, 4)
    expect(page.get_by_text("h = 2 to 3: needs a re-run")).to_be_visible()
    page.get_by_role("button", name="Run with the signature gap and threshold 0.725").click()
    expect(page.get_by_text("This is the gap and the threshold of the run.")).to_be_visible()
    page.wait_for_url("**threshold=0.725&**")
    assert Store(server.home).record(RunConfig.from_flat(SETTINGS | {"threshold": 0.725}))


def test_a_time_step_that_was_not_reached_or_is_not_finished_is_said_to_be_missing(visit: Visit) -> None:
    page = visit(at="gaps", threshold=0, seed=8)
    page.get_by_role("button", name="Run it and watch paths merge").click()
    expect(page.get_by_text("There are no gaps of time step 5: the run stopped before it.")).to_be_visible()
    page.get_by_role("slider", name="Time step h").press("Home")
    expect(matrix(page)).to_be_visible()

    page = visit(at="gaps", horizon=40, samples=3000, seed=8)
    page.get_by_role("button", name="Run it and watch paths merge").click()
    expect(page.get_by_text("There are no gaps of time step 40: it is not finished yet.")).to_be_visible()
    expect(matrix(page)).to_be_visible()


def test_a_broken_link_is_explained(visit: Visit, finished: Callable) -> None:
    finished(**SETTINGS)
    page = visit(f"{urlencode(SETTINGS)}&level=0&gaps=%3Cb%3Ewide%3C/b%3E&at=nan", at="gaps")
    alert = page.get_by_test_id("stAlert").filter(has_text="Not everything in the link could be used")
    for message in ("level: '0' is not a time step", "gaps: '<b>wide</b>' is not one of", "at: 'nan' is not a number"):
        expect(alert).to_contain_text(message)
    expect(matrix(page)).to_be_visible()


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_does_not_scroll_sideways(visit: Visit, finished: Callable, dark: bool) -> None:
    finished(**SETTINGS)
    page = visit(at="gaps", width=390, dark=dark, **SETTINGS)
    page.wait_for_function("document.body.scrollWidth <= 390")
    page.wait_for_function("document.querySelector('.st-key-gap-matrix-signature .js-plotly-plot')?.clientWidth <= 390")


def test_the_gridworld_names_its_actions_and_places(visit: Visit, finished: Callable) -> None:
    page = open_gaps(visit, finished, env="grid", horizon=2, samples=300, seed=62)
    expect(number(page, "States")).to_have_text("13")
    expect(page.get_by_text("facing").first).to_be_visible()
    expect(page.locator(".st-key-gap-matrix-signature .ytick text").first).to_contain_text("1,1")
