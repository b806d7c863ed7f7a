"""What surrounds every page, in a real browser: bundled results, live mode, exports, the tour."""

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ppe_core.config import RunConfig
from ppe_core.experiments.presets import PRESETS, named
from ppe_core.experiments.record_zip import read_record
from ppe_core.experiments.run import run
from tests.browser.launch import settle

ROOT = Path(__file__).parents[2]
Visit = Callable[..., Page]


def choose_preset(page: Page, name: str) -> None:
    page.get_by_role("combobox", name="Preset").click()
    page.get_by_role("option", name=name).click()


def result_of(page: Page, config: RunConfig) -> None:
    """Wait until the page shows this run."""
    expect(page.locator("code").filter(has_text=config.id)).to_be_visible()


def numbers(page: Page) -> list[str]:
    return page.get_by_test_id("stMetricValue").all_inner_texts()


def test_a_first_visit_sees_a_finished_run_and_every_word_explained(visit: Visit, server) -> None:
    was_run = (server.home / "runs" / RunConfig().id).exists()  # by another test
    page = visit()
    expect(page.get_by_text("bundled with the program")).to_be_visible()
    page.locator(".st-key-river .xtick").first.wait_for()
    assert numbers(page) == ["3", "0", "0"]
    text = page.get_by_test_id("stMain").inner_text()
    for words in ("A path is a sequence of actions", "cannot tell apart are merged", "that end in different places",
                  "kept apart that end in the same place", "What the agent sees"):  # fmt: skip
        assert words in text
    assert (server.home / "runs" / RunConfig().id).exists() == was_run
    page.get_by_role("link", name="In slow motion").click()
    expect(page.get_by_role("heading", name="Merge: paths that cannot be told apart become one.")).to_be_visible()


def test_every_preset_is_there_at_once(visit: Visit, server) -> None:
    page = visit()
    for preset in PRESETS[1:]:
        choose_preset(page, preset.name)
        result_of(page, preset.config)
        expect(page.get_by_text("bundled with the program").last).to_be_visible()
        expect(page.get_by_test_id("stSidebar").get_by_text(preset.look_at)).to_be_visible()
        assert not (server.home / "runs" / preset.config.id).exists()
        settle(page)


def test_in_live_mode_a_control_runs_ppe_as_it_is_let_go(visit: Visit) -> None:
    page = visit()
    expected: dict[str, object] = {}
    for role, name, key, change in (
        ("slider", "Noise σ", "ArrowRight", {"noise": 0.11}),
        ("slider", "Horizon H", "ArrowRight", {"horizon": 6}),
        ("slider", "Samples N", "ArrowRight", {"samples": 550}),
        ("spinbutton", "Seed", "ArrowUp", {"seed": 1}),
    ):
        control = page.get_by_role(role, name=name)
        control.focus()
        control.press(key)
        if role == "spinbutton":
            control.press("Enter")
        expected |= change
        result_of(page, RunConfig.from_flat(expected))
        expect(page.get_by_text(re.compile("computed just now|· stored ·"))).to_be_visible()
        expect(page.get_by_text("Changed:")).to_be_visible()
        settle(page)
        assert [int(x) for x in numbers(page)[1:]] == list(run(RunConfig.from_flat(expected)).errors)


def test_what_takes_longer_is_marked_stale_and_waits_for_run(visit: Visit, server) -> None:
    page = visit(recipe="paper", samples=5000, horizon=40, seed=3, gap="signature")
    choose_preset(page, "Gridworld")
    result_of(page, named("Gridworld").config)
    page.get_by_role("button", name="New seed").click()
    expect(page.get_by_text("The controls have changed. Below is still the run with Seed = 0.")).to_be_visible()
    expect(page.get_by_role("button", name="Run with the new settings")).to_be_visible()
    assert not (server.home / "runs" / named("Gridworld").config.replace(seed=1).id).exists()


def test_reset_shows_the_same_run_again(visit: Visit) -> None:
    page = visit()
    choose_preset(page, "Too few samples")
    result_of(page, named("Too few samples").config)
    before = numbers(page)
    page.get_by_role("button", name="New seed").click()
    result_of(page, named("Too few samples").config.replace(seed=2))
    page.get_by_role("button", name="Reset", exact=True).click()
    result_of(page, named("Too few samples").config)
    assert numbers(page) == before


def download(page: Page, label: str, folder: Path) -> Path:
    with page.expect_download() as found:
        page.get_by_test_id("stPopoverBody").get_by_role("button", name=label).click()
    file = folder / found.value.suggested_filename
    found.value.save_as(file)
    return file


def test_what_is_taken_away_repeats_the_run(visit: Visit, tmp_path: Path) -> None:
    page = visit(horizon=2, seed=21)
    page.get_by_role("button", name="Run it and watch paths merge").click()
    page.get_by_role("button", name="Export").click()
    settings, levels, record, program = (download(page, label, tmp_path) for label in
                                         ("Settings (JSON)", "Levels (CSV)", "Record (zip", "Python"))  # fmt: skip
    config = RunConfig.from_flat({"horizon": 2, "seed": 21})
    assert RunConfig.from_flat(json.loads(settings.read_text())) == config
    repeated = subprocess.run([sys.executable, program], check=True, capture_output=True, text=True, cwd=ROOT,
                              env={"PYTHONPATH": str(ROOT)})  # fmt: skip
    said = json.loads(repeated.stdout)["levels"]
    assert list(csv.DictReader(levels.read_text().splitlines())) == [
        {key: str(x) for key, x in level.items()} for level in said
    ]
    back = read_record(io.BytesIO(record.read_bytes()))
    assert back.config == config
    assert [level.summary() for level in back.levels] == said
    assert back.levels[0].found.weights  # nothing was left out


@pytest.mark.parametrize(
    ("preset", "labels"),
    [("A lock in the noise", ("River of paths", "Observations")), ("Gridworld", ("States over the grid",))],
)
def test_a_figure_taken_away_opens_without_a_network(visit: Visit, tmp_path: Path, browser, preset, labels) -> None:
    page = visit(**named(preset).config.flat())
    page.get_by_role("button", name="Export").click()
    for label in labels:
        file = download(page, label, tmp_path)
        alone = browser.new_context(offline=True).new_page()
        alone.goto(file.as_uri())
        expect(alone.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        alone.context.close()


def test_the_tour_drives_the_page_there_and_back(visit: Visit) -> None:
    page = visit()
    page.get_by_role("button", name="Take the tour").click()
    tour = page.locator(".st-key-tour")
    expect(tour).to_contain_text("1 of 7 · What the agent sees")
    for number in (2, 3, 4):
        tour.get_by_role("button", name="Next").click()
        expect(tour).to_contain_text(f"{number} of 7")
        settle(page)
    expect(tour).to_contain_text("4 of 7 · A wrong merge loses a place")
    expect(page.get_by_text("The plan earns nothing")).to_be_visible()
    page.wait_for_url("**samples=300&**")
    tour.get_by_role("button", name="Back").click()
    expect(tour).to_contain_text("3 of 7")
    page.wait_for_url("**samples=500&**")
    tour.get_by_role("button", name="Leave the tour").click()
    expect(tour).to_have_count(0)


def test_the_table_of_levels_comes_when_it_is_opened(visit: Visit) -> None:
    page = visit()
    expect(page.get_by_test_id("stDataFrame")).to_have_count(0)
    page.get_by_text("Level by level").click()
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Time: [\d.]+ s in all; collect"))).to_be_visible()
