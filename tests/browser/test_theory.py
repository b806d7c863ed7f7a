"""The Theory page in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.launch import settle
from ui.theory.examples import EXAMPLES

Visit = Callable[..., Page]
SECTIONS = {
    "world": "The factorization lemma",
    "classifier": "PPE with infinite data",
    "samples": "all time steps together",
    "planning": "The lock with a light",
}


def test_every_section_says_what_it_is_about(visit: Visit) -> None:
    page = visit(at="theory", section="world")
    for words, title in zip(SECTIONS.values(), ("The world", "Classifier and gaps", "How many?", "Planning")):
        page.get_by_role("radio", name=title).click()
        expect(page.get_by_text(words).first).to_be_visible()
        settle(page)


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


def test_show_me_loads_a_preset_and_opens_its_page(visit: Visit) -> None:
    page = visit(at="theory", section="samples")
    page.get_by_role("button", name="Show me: what happens with too few").click()
    expect(page.get_by_text("At h = 2 one path is merged wrongly").first).to_be_visible()
    page.wait_for_url(lambda address: "/theory" not in address)


def test_a_phone_does_not_scroll_sideways(visit: Visit) -> None:
    page = visit(at="theory", width=390, section="examples", example="bellman")
    expect(page.locator(".st-key-theory-bellman .main-svg").first).to_be_visible()
    page.wait_for_function("document.body.scrollWidth <= 390")
