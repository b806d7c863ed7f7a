"""The Compare page in a real browser."""

import csv
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.launch import settle

Visit = Callable[..., Page]
SMALL = {"horizon": 2, "samples": 300, "learners": "ppe,id,ppo", "repeats": 2}
CHARTS = ("accuracy", "regret", "partitions", "curves")


def compare(page: Page) -> None:
    page.get_by_role("button", name="Compare them").click()
    expect(page.get_by_role("table")).to_contain_text("AC-State" if "ac-state" in page.url else "PPO")
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    settle(page)


def test_learners_are_compared_and_the_link_brings_it_back(visit: Visit) -> None:
    page = visit(at="compare", seed=500, **SMALL)
    expect(page.get_by_text("6 runs, 0 of them stored already.")).to_be_visible()
    compare(page)
    for chart in CHARTS:
        expect(page.locator(f".st-key-compare-{chart} .js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.get_by_text("PPE tells all states apart.")).to_be_visible()
    expect(page.get_by_role("row", name="PPO policy gradients")).to_contain_text("no decoder")
    with page.expect_download() as download:
        page.get_by_role("button", name="All runs (CSV)").click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text().splitlines()))
    assert sorted((row["learner"], row["seed"]) for row in rows) == [
        (learner, str(seed)) for learner in ("id", "ppe", "ppo") for seed in (500, 501)
    ]
    again = visit(page.url.partition("?")[2], at="compare")
    expect(again.get_by_role("row", name="PPE merges paths")).to_contain_text("2 of 2")
    expect(again.get_by_role("button", name="Compare them")).to_have_count(0)


def test_a_change_asks_for_the_missing_runs_and_a_broken_one_is_explained(visit: Visit) -> None:
    page = visit(at="compare", seed=510, **SMALL | {"learners": "ppe"})
    expect(page.get_by_text("2 runs, 0 of them stored already.")).to_be_visible()
    sizes = page.get_by_role("textbox", name="Sample sizes")
    sizes.fill("100, 300")
    sizes.press("Enter")
    expect(page.get_by_text("4 runs, 0 of them stored already.")).to_be_visible()
    page.get_by_text("Without exogenous noise, too").click()
    expect(page.get_by_text("8 runs, 0 of them stored already.")).to_be_visible()
    sizes.fill("many")
    sizes.press("Enter")
    expect(page.get_by_text("This cannot be compared yet: samples: 'many' is not a whole number")).to_be_visible()
    expect(page.get_by_role("switch", name="Without exogenous noise, too")).to_be_checked()


def test_a_broken_link_and_another_learner_are_explained(visit: Visit) -> None:
    page = visit("learners=ppe,<b>x</b>&repeats=99&learner=homer", at="compare")
    alert = page.get_by_test_id("stAlert").filter(has_text="Not everything in the link could be used")
    for words in ("learners: '<b>x</b>' is not one of ppe, homer", "repeats: '99' is not a number of seeds",
                  "learner: the controls are those of ppe; 'homer' is found on Compare"):  # fmt: skip
        expect(alert).to_contain_text(words)


def test_a_phone_does_not_scroll_sideways(visit: Visit, finished: Callable) -> None:
    finished(horizon=2, samples=300, seed=520)
    page = visit(at="compare", width=390, seed=520, **SMALL | {"learners": "ppe", "repeats": 1})
    expect(page.locator(".st-key-compare-partitions .main-svg").first).to_be_visible()
    page.wait_for_function("document.body.scrollWidth <= 390")
