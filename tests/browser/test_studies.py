"""The Studies page in a real browser: start, watch, cancel, open a cell, take away, come back."""

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from ppe_core.experiments.study import Study
from tests.browser.launch import settle

ROOT = Path(__file__).parents[2]
Visit = Callable[..., Page]
SMALL = {"horizon": 2, "x": "noise", "x_values": "0.1, 1.5", "y": "samples", "y_values": "60, 300", "seeds": 2}
CELLS = "document.querySelector('.st-key-study-grid .js-plotly-plot').data.find(t => t.name === 'cells').text"


def start(page: Page, runs: int) -> None:
    page.get_by_role("button", name=f"Run all {runs}").click()


def wait_until_finished(page: Page, runs: int) -> None:
    page.get_by_text(f"All {runs} runs are finished and stored.").wait_for()
    settle(page)


def test_a_study_says_what_it_takes_fills_its_cells_and_agrees_with_the_command_line(
    visit: Visit, tmp_path: Path
) -> None:
    page = visit(at="studies", seed=300, **SMALL)
    expect(
        page.get_by_text(re.compile(r"8 runs, 0 of them stored already\. The rest will take ≈ [\d.]+ s"))
    ).to_be_visible()
    start(page, 8)
    wait_until_finished(page, 8)
    page.wait_for_function(f"{CELLS}.every(text => /^[0-2]\\/2$/.test(text))")
    files = {}
    for label in ("Runs (CSV)", "Study (JSON)", "All (JSON)"):
        with page.expect_download() as download:
            page.get_by_role("button", name=label).click()
        files[label] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[label])
    study = Study.from_json(files["Study (JSON)"].read_text())
    assert dict(study.axes) == {"noise": (0.1, 1.5), "samples": (60, 300)} and study.seeds == (300, 301)
    command = [
        sys.executable,
        "-m",
        "ppe_core",
        "study",
        str(files["Study (JSON)"]),
        "--out",
        str(tmp_path / "own.csv"),
    ]
    subprocess.run(
        command, check=True, cwd=ROOT, env=os.environ | {"PPE_HOME": str(tmp_path / "home")}, capture_output=True
    )
    assert (tmp_path / "own.csv").read_text() == files["Runs (CSV)"].read_text()
    rows = list(csv.DictReader(files["Runs (CSV)"].read_text().splitlines()))
    assert len(rows) == len(json.loads(files["All (JSON)"].read_text())["rows"]) == 8
    recovered = sum(row["exact_recovery"] == "True" for row in rows if (row["noise"], row["samples"]) == ("0.1", "300"))
    assert page.evaluate(f"{CELLS}[2]") == f"{recovered}/2"  # second row, first column


def test_a_click_on_a_cell_lists_its_runs_and_a_run_opens_on_explore(visit: Visit) -> None:
    page = visit(at="studies", seed=310, **SMALL)
    start(page, 8)
    wait_until_finished(page, 8)
    cell = page.locator(".st-key-study-grid .scatterlayer .point").nth(3)
    cell.scroll_into_view_if_needed()
    box = cell.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    chosen = page.get_by_role("combobox", name="Runs of the combination")
    expect(chosen).to_have_value("Noise σ = 1.5, Samples N = 300")
    settle(page)  # the links follow the box
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="seed 311:").click()
    run = opened.value
    expect(run.get_by_text(re.compile(r"H = 2, N = 300, noise 1.5, seed 311 · stored"))).to_be_visible()
    run.close()
    expect(chosen).to_have_value("Noise σ = 1.5, Samples N = 300")


def test_a_study_is_still_there_after_a_look_at_another_page(visit: Visit) -> None:
    page = visit(at="studies", seed=315, **SMALL)
    page.get_by_role("link", name="Explore").click()
    page.get_by_role("heading", name="Many action sequences").wait_for()
    page.get_by_role("link", name="Studies").click()
    expect(page.get_by_role("textbox", name="Values").first).to_have_value("0.1, 1.5")
    expect(page.get_by_role("textbox", name="Values").nth(1)).to_have_value("60, 300")
    expect(page.get_by_role("spinbutton", name="Seeds")).to_have_value("2")


def test_cells_fill_in_while_it_runs_and_cancel_keeps_what_is_finished(visit: Visit) -> None:
    page = visit(at="studies", seed=320, horizon=30, x="noise", x_values="0.1,0.2,0.3", y="samples",
                 y_values="1000,2000", seeds=10)  # fmt: skip
    start(page, 60)
    page.wait_for_function(f"{CELLS}.some(text => text.endsWith('…')) && {CELLS}.some(text => text === '–')")
    page.get_by_role("button", name="Cancel").click()
    left = page.get_by_role("button", name=re.compile(r"Run the \d+ missing runs"))
    expect(left).to_be_visible()
    missing = int(re.search(r"\d+", left.inner_text())[0])
    assert 0 < missing < 60
    expect(page.get_by_text(f"60 runs, {60 - missing} of them stored already")).to_be_visible()
    again = visit(page.url.partition("?")[2], at="studies")
    expect(again.get_by_text(f"60 runs, {60 - missing} of them stored already")).to_be_visible()


def test_an_earlier_study_opens_from_its_link_and_from_the_list(visit: Visit) -> None:
    page = visit(at="studies", seed=330, **SMALL)
    start(page, 8)
    wait_until_finished(page, 8)
    linked = visit(page.url.partition("?")[2], at="studies")
    wait_until_finished(linked, 8)
    fresh = visit(at="studies")
    expect(fresh.get_by_role("textbox", name="Values").first).to_have_value("0.1, 0.2, 0.4, 0.8")
    fresh.get_by_role("combobox", name="Earlier studies").click()
    fresh.get_by_role("option").first.click()
    wait_until_finished(fresh, 8)
    expect(fresh.get_by_role("textbox", name="Values").first).to_have_value("0.1, 1.5")
    fresh.wait_for_function(
        "['horizon', 'seed', 'seeds'].map(name => new URLSearchParams(location.search).get(name)).join() === '2,330,2'"
    )


def test_what_is_no_study_is_said_and_nothing_is_lost(visit: Visit) -> None:
    page = visit(at="studies", seed=340, **SMALL)
    values = page.get_by_role("textbox", name="Values")
    for text, said in (
        ("0.1, many", "noise: 'many' is not a number in the allowed range 0 to 10"),
        ("", "noise needs a list of at least one value"),
        ("3", "noise: 3.0 is outside the range 0.0 to 2.0 of this page"),
    ):
        values.first.fill(text)
        values.first.press("Enter")
        expect(page.get_by_text("This is not a study yet: ").filter(has_text=said)).to_be_visible()
        expect(values.nth(1)).to_have_value("60, 300")
    values.first.fill("0.3")
    values.first.press("Enter")
    expect(page.get_by_text("4 runs, 0 of them stored already")).to_be_visible()


def test_a_broken_link_to_a_study_gives_a_message_and_a_usable_page(visit: Visit) -> None:
    query = "x=colour&y=<b>&seeds=1000000&x_values=" + "9," * 5000 + "&horizon=3&seed=350"
    page = visit(query, at="studies")
    alert = page.get_by_test_id("stAlert").filter(has_text="Not everything in the link could be used")
    for message in ("x: 'colour' is not one of", "y: '<b>' is not one of", "seeds: '1000000'", "10000 characters"):
        expect(alert).to_contain_text(message)
    expect(page.get_by_text("80 runs, 0 of them stored already")).to_be_visible()


def test_a_phone_shows_a_study_without_scrolling_sideways(visit: Visit) -> None:
    page = visit(at="studies", seed=360, width=390, **SMALL)
    expect(page.locator(".st-key-study-grid .js-plotly-plot")).to_be_visible()
    page.wait_for_function("document.body.scrollWidth <= 390")
