"""The Model page in a real browser: three views, a click on a state, the decoder."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from ppe_core.config import RunConfig
from ppe_core.experiments.run import run
from tests.browser.launch import settle

ROOT = Path(__file__).parents[2]
Visit = Callable[..., Page]
GRAPH = ".st-key-model-graph .js-plotly-plot"
# Where the point with this customdata is on the screen.
POINT = """([graph, wanted]) => {
    const figure = document.querySelector(graph)
    const area = figure.querySelector('.nsewdrag').getBoundingClientRect()
    for (const trace of figure._fullData) {
        const i = (trace.customdata ?? []).findIndex(data => wanted.every((x, k) => data[k] === x))
        if (i >= 0) {
            const {xaxis, yaxis} = figure._fullLayout
            return [area.x + xaxis.d2p(trace.x[i]), area.y + yaxis.d2p(trace.y[i])]
        }
    }
}"""

# How many states are drawn each time while the run is under way.
RECORD_PROGRESS = """() => {
    window.sizes = []
    new MutationObserver(() => {
        const states = document.querySelector('.st-key-model-graph .js-plotly-plot')?.data
            ?.find(trace => trace.name === 'states')
        if (states && document.querySelector('[data-testid="stProgress"]')) window.sizes.push(states.text.length)
    }).observe(document.body, {subtree: true, childList: true, characterData: true})
}"""


def open_model(visit: Visit, finished: Callable, dark: bool = False, width: int = 1280, **settings: object) -> Page:
    """The graph of a finished run, as a new visitor sees it."""
    finished(**settings)
    page = visit(at="model", dark=dark, width=width, **settings)
    page.get_by_text(re.compile("· run ")).wait_for()
    wait_for_graph(page)
    return page


def wait_for_graph(page: Page) -> None:
    settle(page)
    page.wait_for_function(f"document.querySelector('{GRAPH}')?._fullLayout?.xaxis?.d2p !== undefined")


def details(page: Page) -> Locator:
    return page.get_by_text(re.compile("^Time step \\d+, (recovered state|a true state)"))


def choose_view(page: Page, view: str) -> None:
    page.get_by_role("radio", name=view).or_(page.get_by_role("button", name=view, exact=True)).first.click()
    page.wait_for_url(f"**graph={view.lower()}&**")
    wait_for_graph(page)


def click_state(page: Page, *customdata: int) -> None:
    page.locator(GRAPH).scroll_into_view_if_needed()
    x, y = page.evaluate(POINT, [GRAPH, list(customdata)])
    page.mouse.click(x, y)


def trace_names(page: Page) -> list[str]:
    return page.evaluate(f"document.querySelector('{GRAPH}').data.map(trace => trace.name)")


def test_a_click_on_a_state_shows_its_observations_paths_and_classifier(visit: Visit, finished: Callable) -> None:
    page = open_model(visit, finished, horizon=3, seed=71)
    record = run(RunConfig.from_flat({"horizon": 3, "seed": 71}))
    path = " ".join(map(str, record.plan))
    expect(details(page)).to_contain_text("Time step 3, recovered state")  # the end of the plan, without a click
    expect(details(page)).to_contain_text("a: towards reward 1")
    expect(page.get_by_text(path, exact=True)).to_be_visible()

    click_state(page, 2, 2)
    expect(details(page)).to_contain_text(re.compile("Time step 2, recovered state .* c: lost"))
    expect(page.get_by_text("Recovered exactly: all 28 paths to this state, and no others.")).to_be_visible()
    expect(page.get_by_text("The 28 paths merged into it:")).to_be_visible()
    expect(page.get_by_text("… and 20 more")).to_be_visible()
    expect(page.locator(".st-key-state-strips .heatmaplayer").last).to_be_visible()
    expect(page.locator(".st-key-state-classifier .barlayer .point")).to_have_count(30)
    page.wait_for_url("**level=2**")
    expect(page.get_by_text("Time step 2: what is each true state decoded as?")).to_be_visible()


def test_views_and_the_chosen_state_outlast_a_page_switch(visit: Visit, finished: Callable) -> None:
    page = open_model(visit, finished, horizon=3, seed=71)
    choose_view(page, "Difference")
    assert "exact" in trace_names(page)
    click_state(page, 1, 1)
    expect(details(page)).to_contain_text("Time step 1, recovered state")
    page.get_by_role("link", name="Explore").click()
    page.get_by_role("heading", name="Many action sequences").wait_for()
    settle(page)
    page.get_by_role("link", name="Model").click()
    expect(details(page)).to_contain_text(re.compile("Time step 1, recovered state .* b: towards 0.1"))
    page.wait_for_url("**graph=difference&level=1**")
    wait_for_graph(page)
    assert "exact" in trace_names(page)


def test_the_difference_tells_wrong_merges_missed_merges_and_missing_states_apart(
    visit: Visit, finished: Callable
) -> None:
    page = open_model(visit, finished, samples=60)
    expect(page.get_by_text("Time step 5 has no result; below is time step 2.")).to_be_visible()
    choose_view(page, "Difference")
    assert {"exact", "mixed", "split", "missing"} <= set(trace_names(page))
    expect(page.get_by_text("All time steps:")).to_contain_text("1 mixed")
    choose_view(page, "Truth")
    click_state(page, 2, 2)
    expect(page.get_by_text("Split: paths to this state were kept apart")).to_be_visible()


def test_a_link_to_the_page_opens_its_view_and_its_time_step(visit: Visit, finished: Callable) -> None:
    finished(horizon=3, seed=71)
    page = visit(at="model", horizon=3, seed=71, graph="truth", level=2)
    expect(details(page)).to_contain_text("Time step 2, recovered state")
    wait_for_graph(page)
    assert "states" in trace_names(page)
    expect(page.get_by_role("slider", name="Time step h of the details")).to_have_attribute("aria-valuetext", "2")
    page = visit(at="model", horizon=3, seed=71, graph="<b>bold", level=99)
    warning = page.get_by_test_id("stAlert").filter(has_text="Not everything in the link could be used")
    expect(warning).to_contain_text("graph: '<b>bold' is not one of recovered, truth, difference")
    expect(warning).to_contain_text("level: '99' is not a time step from 1 to 3")
    expect(details(page)).to_contain_text("Time step 3, recovered state")


def test_what_is_finished_is_shown_while_the_run_is_under_way(visit: Visit) -> None:
    page = visit(at="model", horizon=40, samples=3000, seed=73)
    button = page.get_by_role("button", name="Run it and watch paths merge")
    button.wait_for()
    page.evaluate(RECORD_PROGRESS)
    button.click()
    page.get_by_text("computed just now").wait_for()
    seen = page.evaluate("window.sizes")
    assert any(1 < size < 1 + 3 * 40 for size in seen)
    assert seen == sorted(seen)


def test_labels_have_the_text_colour_of_the_theme(visit: Visit, finished: Callable) -> None:
    themes = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
    for theme in ("light", "dark"):
        page = open_model(visit, finished, dark=theme == "dark", horizon=3, seed=71)
        red, green, blue = bytes.fromhex(themes[theme]["textColor"][1:])
        label = page.locator(f"{GRAPH} text").filter(has_text="9 actions").first
        expect(label).to_have_css("fill", f"rgb({red}, {green}, {blue})")


def test_a_long_graph_scrolls_in_its_own_box(visit: Visit, finished: Callable) -> None:
    page = open_model(visit, finished, width=390, horizon=40, samples=1000, seed=72)
    page.wait_for_function(
        "box => document.body.scrollWidth <= 390 && box.scrollWidth > 4000 && box.clientWidth < 390",
        arg=page.locator(".st-key-model-graph").element_handle(),
    )


def test_the_gridworld_is_drawn_over_its_grid_in_three_views(visit: Visit, finished: Callable) -> None:
    page = open_model(visit, finished, env="grid", horizon=2, samples=300, seed=62)
    for view, traces in (("Truth", "states"), ("Difference", "exact"), ("Recovered", "states")):
        choose_view(page, view)
        assert {traces, "plan", "selected"} <= set(trace_names(page))
    click_state(page, 1)
    expect(page.locator(".st-key-state-looks img")).to_be_visible()
    expect(page.get_by_text(re.compile("Recovered exactly"))).to_be_visible()
    expect(details(page)).to_contain_text(re.compile("column \\d, row \\d, facing"))
