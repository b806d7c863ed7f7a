"""The Theory page in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.launch import settle
from ui.theory.examples import EXAMPLES

Visit = Callable[..., Page]
SECTIONS = {
    "The world": "The factorization lemma",
    "The gaps": "The exact gaps beside those of the run",
    "Infinite data": "Every time step is recovered",
    "More samples": "for up to 50 epochs",
    "How many?": "realizability",
    "Not quite deterministic": "The margin lemma",
    "Planning": "The lock with a light",
    "Why not otherwise?": "over-abstraction in the words of section 3",
}


def test_every_section_says_what_it_is_about_and_shows_something(visit: Visit) -> None:
    page = visit(at="theory", section="world")
    for title, words in SECTIONS.items():
        page.get_by_role("radio", name=title).click()
        expect(page.get_by_text(words).first).to_be_visible()
        settle(page)
        if title != "Infinite data":  # which is what others show
            expect(page.get_by_role("button", name="Show me").first).to_be_visible()


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_counter_example_is_drawn(visit: Visit, name: str) -> None:
    page = visit(at="theory", section="examples", example=name)
    expect(page.locator(f".st-key-theory-{name} .main-svg").first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_knob_moves_what_is_computed_and_is_in_the_link(visit: Visit) -> None:
    page = visit(at="theory", section="examples", example="contrastive")
    expect(page.get_by_text("48 classes for 3 endogenous states")).to_be_visible()
    page.get_by_role("slider", name="Number of exogenous bits d").press("ArrowLeft")
    expect(page.get_by_text("24 classes for 3 endogenous states")).to_be_visible()
    settle(page)
    again = visit(page.url.partition("?")[2], at="theory")
    expect(again.get_by_text("24 classes for 3 endogenous states")).to_be_visible()


def test_a_broken_link_is_explained(visit: Visit) -> None:
    page = visit("section=<b>x</b>&knobs=inverse:1,2,3", at="theory")
    alert = page.get_by_test_id("stAlert").filter(has_text="Not everything in the link could be used")
    expect(alert).to_contain_text("section: '<b>x</b>' is not one of world, classifier")
    expect(page.get_by_text("The factorization lemma")).to_be_visible()


def test_runs_of_a_sweep_are_started_and_drawn(visit: Visit) -> None:
    page = visit(at="theory", section="eta", horizon=2, samples=200, seed=700)
    page.get_by_role("button", name="Run them").click()
    expect(page.locator(".st-key-theory-errors .main-svg").first).to_be_visible()
    expect(page.get_by_role("button", name="Run them")).to_have_count(0)


def test_infinite_data_are_shown_at_once_for_the_world_at_hand(visit: Visit) -> None:
    page = visit(at="theory", section="classifier", threshold=2)
    page.get_by_role("button", name="Show me: PPE with infinite data").click()
    expect(page.get_by_text("Not every time step is recovered, even so")).to_be_visible()
    expect(page.locator(".st-key-river .main-svg").first).to_be_visible()
    settle(page)
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(page.get_by_text("Every time step is recovered")).to_be_visible()
    assert "section=infinite" in page.url


def test_plans_are_made_here_and_bounds_told_where_they_apply(visit: Visit) -> None:
    page = visit(at="theory", section="planning", env="exo-lock")
    expect(page.get_by_text("does not apply: exogenous reward")).to_have_count(2)
    page.get_by_role("button", name="Plan with PSDP").click()
    bars = page.locator(".st-key-theory-plans .js-plotly-plot")
    bars.locator(".main-svg").first.wait_for()
    plan, counted, psdp = bars.evaluate("figure => Array.from(figure.data[0].x)")
    assert plan == 0.5 and counted < 0.6 and psdp > 0.95
    assert bars.evaluate("figure => Array.from(figure.data[1].y)") == ["PSDP,<br>looking"]


def test_bounds_of_planning_are_for_nearly_deterministic_worlds(visit: Visit) -> None:
    page = visit(at="theory", section="planning", eta=0.02)
    expect(page.get_by_text("is more than 1/(4SH) = 0.0167")).to_be_visible()
    expect(page.get_by_text("1,200,955").first).to_be_visible()


def test_eta_is_not_varied_where_the_world_has_chances_of_its_own(visit: Visit) -> None:
    page = visit(at="theory", section="eta", start_eta=0.3)
    expect(page.get_by_text("η is at least 0.3, where the theory allows 0.0167")).to_be_visible()
    expect(page.locator(".st-key-theory-margins")).to_have_count(0)


def test_show_me_loads_a_preset_and_opens_its_page(visit: Visit) -> None:
    page = visit(at="theory", section="samples")
    page.get_by_role("button", name="Show me: what happens with too few").click()
    expect(page.get_by_text("At h = 2 one path is merged wrongly").first).to_be_visible()
    page.wait_for_url(lambda address: "/theory" not in address)


def test_a_phone_does_not_scroll_sideways(visit: Visit) -> None:
    page = visit(at="theory", width=390, section="examples", example="bellman")
    expect(page.locator(".st-key-theory-bellman .main-svg").first).to_be_visible()
    page.wait_for_function("document.body.scrollWidth <= 390")
