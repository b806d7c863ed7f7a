"""The Paper page in a real browser."""

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from ppe_core.experiments.paper.claims import CLAIMS, Verdict, finding
from ppe_core.experiments.paper.results import committed
from ppe_core.experiments.paper.studies import FIGURES
from tests.browser.launch import settle

Visit = Callable[..., Page]
CHARTS = ("fig2a", "fig2b", "fig2c", "fig3c", "fig3d")


def test_every_figure_stands_beside_its_claims_and_nothing_is_run(visit: Visit, server) -> None:
    page = visit(at="paper")
    runs = server.home / "runs"
    before = set(runs.iterdir()) if runs.exists() else set()
    for figure in FIGURES.values():
        expect(page.get_by_role("heading", name=f"{figure.place}: {figure.title}")).to_be_visible()
    for name in CHARTS:
        expect(page.locator(f".st-key-paper-{name} .js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator(".st-key-paper-fig3ab img")).to_be_visible()
    told = [(claim, finding(claim, committed())) for claim in CLAIMS]
    text = page.get_by_test_id("stMain").inner_text()
    for claim, found in told:
        assert claim.says in text and found.measured in text
    counts = Counter(found.verdict for _, found in told)
    for verdict in Verdict:
        if counts[verdict]:
            assert f"{verdict}: {counts[verdict]}" in text
    assert (set(runs.iterdir()) if runs.exists() else set()) == before


def test_a_figure_is_run_again_at_quick_scale_and_its_runs_are_exported(visit: Visit) -> None:
    page = visit(at="paper")
    page.locator(".st-key-run-fig2a button").click()
    expect(page.get_by_role("radio", name="Your quick run")).to_be_checked()
    expect(page.get_by_text("PPE recovers exactly this graph in 3 of 3 seeds")).to_be_visible()
    settle(page)
    with page.expect_download() as download:
        page.locator(".st-key-csv-fig2a button").click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text().splitlines()))
    assert [(row["seed"], row["type1"], row["type2"]) for row in rows] == [(str(seed), "0", "0") for seed in range(3)]
    page.get_by_role("radio", name="The committed results").click()
    expect(page.get_by_text("PPE recovers exactly this graph in 10 of 10 seeds")).to_be_visible()


def test_a_quick_run_that_takes_longer_can_be_cancelled(visit: Visit) -> None:
    page = visit(at="paper")
    page.locator(".st-key-run-fig2c button").click()
    expect(page.get_by_text(f"of {len(FIGURES['fig2c'].configs('quick'))} runs finished")).to_be_visible()
    page.locator(".st-key-cancel-fig2c button").click()
    expect(page.locator(".st-key-run-fig2c button")).to_be_visible()
    settle(page)


def test_a_phone_does_not_scroll_sideways(visit: Visit) -> None:
    page = visit(at="paper", width=390)
    expect(page.locator(".st-key-paper-fig3d .main-svg").first).to_be_visible()
    page.wait_for_function("document.body.scrollWidth <= 390")
