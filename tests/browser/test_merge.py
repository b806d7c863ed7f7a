"""The Merge page in a real browser: the animation plays, pauses and steps, by hand and by key."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from ppe_core.config import RunConfig
from ppe_core.experiments.run import run
from tests.browser.launch import settle

Visit = Callable[..., Page]
CHART = ".st-key-merge .js-plotly-plot"
STATES_SHOWN = f"""() => document.querySelector('{CHART}')?.data
    ?.find(trace => trace.name === 'states')?.x?.filter(x => x !== null).length"""


def open_merge(visit: Visit, finished: Callable, width: int = 1280, h: int = 0, **settings: object) -> Page:
    """A finished run on the Merge page, as a new visitor sees it."""
    finished(**settings)
    page = visit(at="merge", width=width, h=h, **settings)
    page.locator(f"{CHART} .scatterlayer").wait_for()
    settle(page)
    return page


def button(page: Page, name: str):
    return page.get_by_role("group", name="Animation").get_by_role("button", name=name)


def wait_for_states(page: Page, count: int) -> None:
    page.wait_for_function(f"count => ({STATES_SHOWN})() === count", arg=count)


def test_the_animation_plays_pauses_and_steps(visit: Visit, finished: Callable) -> None:
    page = open_merge(visit, finished, horizon=2, seed=71)
    wait_for_states(page, 1 + 3 + 3)
    button(page, "Play").click()
    wait_for_states(page, 1)
    expect(page.get_by_text("Time step 1, compare.")).to_be_visible()
    button(page, "Pause").click()
    expect(button(page, "Play")).to_be_visible()
    button(page, "To the start").click()
    expect(page.get_by_text("Before the first action there is one state")).to_be_visible()
    expect(button(page, "Step back")).to_be_disabled()
    for _ in range(3):
        button(page, "Step forward").click()
    expect(page.get_by_text("Time step 1: 10 paths, 7 merged away, 3 states left; 0 wrong merges")).to_be_visible()
    wait_for_states(page, 1 + 3)
    button(page, "Step back").click()
    wait_for_states(page, 1)
    button(page, "Play").click()
    expect(page.get_by_text("All 2 time steps: 40 paths tried")).to_be_visible()
    wait_for_states(page, 1 + 3 + 3)
    expect(button(page, "Play")).to_be_visible()


def test_keys_step_and_play_but_not_while_a_control_is_used(visit: Visit, finished: Callable) -> None:
    page = open_merge(visit, finished, horizon=2, seed=72)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("Time step 2: 30 paths")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("Time step 2, compare.")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Time step 2: 30 paths")).to_be_visible()
    page.wait_for_url("**h=2**")  # the page was told, and has run again: there is still one listener
    settle(page)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("Time step 2, compare.")).to_be_visible()
    seed = page.get_by_role("spinbutton", name="Seed")
    seed.click()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press(" ")
    expect(page.get_by_text("Time step 2, compare.")).to_be_visible()
    seed.blur()
    page.keyboard.press(" ")
    expect(button(page, "Pause")).to_be_visible()
    expect(page.get_by_text("All 2 time steps")).to_be_visible()


def test_the_slider_goes_to_any_step_and_the_link_remembers_it(visit: Visit, finished: Callable) -> None:
    page = open_merge(visit, finished, horizon=3, seed=73)
    page.get_by_role("slider", name="Step of the animation").fill("6")
    expect(page.get_by_text("Time step 2: 30 paths")).to_be_visible()
    page.wait_for_url("**h=2**")
    page.get_by_role("link", name="Explore").click()
    page.get_by_role("heading", name="Many action sequences").wait_for()
    settle(page)
    page.get_by_role("link", name="Merge").click()
    expect(page.get_by_text("Time step 2: 30 paths")).to_be_visible()
    wait_for_states(page, 1 + 3 + 3)


def test_a_link_opens_at_its_time_step(visit: Visit, finished: Callable) -> None:
    page = open_merge(visit, finished, horizon=3, seed=73, h=1)
    expect(page.get_by_text("Time step 1: 10 paths")).to_be_visible()
    wait_for_states(page, 1 + 3)
    page = visit("horizon=3&seed=73&h=<b>9</b>", at="merge")
    expect(page.get_by_text("h: <b>9</b> is not a time step from 1 to 3, or 0 for the end")).to_be_visible()
    expect(page.get_by_text("All 3 time steps")).to_be_visible()


def test_errors_are_listed_pair_by_pair_with_their_gaps(visit: Visit, finished: Callable) -> None:
    page = open_merge(visit, finished, samples=60)
    level = run(RunConfig.from_flat({"samples": 60})).levels[1]
    wrong, missed = level.errors
    assert wrong > 0
    button(page, "Step back").click()
    expect(page.get_by_text(f"{missed} missed.")).to_be_visible()
    table = page.get_by_test_id("stTable")
    expect(table.get_by_text("✖ wrong merge")).to_have_count(min(wrong, 5))
    expect(table.get_by_text("◆ missed merge")).to_have_count(5)
    expect(table.get_by_text(re.compile(rf"^\d\.\d+ > {level.found.threshold:.3f}$")).first).to_be_visible()
    button(page, "To the start").click()
    expect(table).to_have_count(0)


def test_a_figure_drawn_anew_shows_the_step_it_showed_before(visit: Visit, finished: Callable) -> None:
    page = open_merge(visit, finished, horizon=2, seed=79)
    button(page, "To the start").click()
    wait_for_states(page, 1)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 1000, "height": 800})
    page.get_by_text("Live", exact=True).click()  # off, so that the same run stays on the page
    page.get_by_role("button", name="New seed").click()
    expect(page.get_by_text("The controls have changed.")).to_be_visible()
    settle(page)
    wait_for_states(page, 1)


def test_time_steps_appear_while_the_run_is_under_way(visit: Visit) -> None:
    page = visit(at="merge", horizon=40, samples=5000, seed=74, recipe="paper")  # seconds: many looks at it
    page.evaluate(f"""() => {{
        window.seen = new Set()
        setInterval(() => window.seen.add(({STATES_SHOWN})()), 30)
    }}""")
    page.get_by_role("button", name="Run it and watch paths merge").click()
    expect(page.get_by_text("All 40 time steps")).to_be_visible()
    wait_for_states(page, 1 + 3 * 40)
    assert len([count for count in page.evaluate("[...window.seen]") if count and count < 1 + 3 * 40]) >= 2


def test_a_phone_scrolls_the_figure_and_not_the_page(visit: Visit, finished: Callable) -> None:
    page = open_merge(visit, finished, width=390, horizon=6, seed=75)
    page.wait_for_function("""() => {
        const figure = document.querySelector('.st-key-merge')
        return document.body.scrollWidth <= 390 && figure.scrollWidth > figure.clientWidth
    }""")
    button(page, "To the start").click()
    page.wait_for_function("document.querySelector('.st-key-merge').scrollLeft === 0")
    button(page, "To the end").click()
    page.wait_for_function("document.querySelector('.st-key-merge').scrollLeft > 100")
