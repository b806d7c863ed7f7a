"""Studies as data, and through the command line."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.index import Status
from ppe_core.experiments.store import Store
from ppe_core.experiments.study import MEASURES, Study, as_csv, as_json, summary_table, table

ROOT = Path(__file__).parents[2]
STUDY = {"base": {"horizon": 3}, "axes": {"noise": [0.1, 0.4], "samples": [100, 300]}, "seeds": 3}


def study() -> Study:
    return Study.from_json(json.dumps(STUDY))


def call(home: Path, definition: dict, out: Path, *more: str, **environment: str) -> subprocess.CompletedProcess:
    file = out.with_name("study.json")
    file.write_text(json.dumps(definition))
    return subprocess.run(
        [sys.executable, "-m", "ppe_core", "study", str(file), "--out", str(out), *more],
        capture_output=True, text=True, cwd=ROOT, env=os.environ | {"PPE_HOME": str(home)} | environment,
    )  # fmt: skip


def test_a_study_expands_into_every_combination_and_seed_once() -> None:
    configs = study().configs()
    assert len(configs) == len({config.id for config in configs}) == 12
    assert {(c.environment.noise, c.samples, c.seed) for c in configs} == {
        (noise, samples, seed) for noise in (0.1, 0.4) for samples in (100, 300) for seed in (0, 1, 2)
    }
    assert Study.from_json(study().canonical_json) == study()
    repeated = Study.from_json(json.dumps(STUDY | {"seeds": [1, 1, 2], "axes": {"noise": [0.1, "0.1"]}}))
    assert len(repeated.configs()) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", ["not JSON"]),
        ("[]", ["an object with base, axes and seeds"]),
        ('{"base": {}, "colour": 1}', ["and nothing else"]),
        ('{"base": {"horizon": 0}}', ["horizon: 0", "1 to 200"]),
        ('{"axes": {"noise": [0.1, -3]}}', ["noise: -3", "0 to 10"]),
        ('{"axes": {"noise": []}}', ["noise needs a list"]),
        ('{"axes": {"noise": 3}}', ["noise needs a list"]),
        ('{"axes": {"colour": [1]}}', ["colour: no such setting"]),
        ('{"axes": {"seed": [1]}}', ["seed is not an axis"]),
        ('{"seeds": 0}', ["at least 1"]),
        ('{"seeds": ["x"]}', ["seed: 'x'"]),
        ('{"seeds": 100000}', ["100000 runs are more than"]),
    ],
)
def test_what_is_wrong_with_a_study_is_said(text: str, words: list[str]) -> None:
    with pytest.raises(ValueError) as error:
        Study.from_json(text)
    assert all(word in str(error.value) for word in words)


def test_the_table_joins_config_and_measures_and_the_summary_goes_over_seeds() -> None:
    def summaries(config: RunConfig) -> dict | None:
        measured = (
            dict.fromkeys(MEASURES, 1.0)
            | {"exact_recovery": config.seed == 0}
            | {"type1": config.seed, "half_regret_episodes": None, "stopped": None}
        )
        return None if config.samples == 300 else measured

    rows = table(study(), summaries)
    assert len(rows) == 6
    assert rows[0]["noise"] == 0.1 and rows[0]["horizon"] == 3 and rows[2]["type1"] == 2
    first, second = summary_table(study(), summaries)[:2]
    assert (first["type1_low"], first["type1"], first["type1_high"]) == (0, 1, 2)
    assert (
        first["exact_recovery"] == 1 / 3 and 0 < first["exact_recovery_low"] < 1 / 3 < first["exact_recovery_high"] < 1
    )
    assert (first["finished"], first["seeds"], second["finished"]) == (3, 3, 0)
    assert next(iter(csv.DictReader(as_csv(rows).splitlines())))["id"] == rows[0]["id"]
    exported = json.loads(as_json(study(), summaries), parse_constant=pytest.fail)
    assert exported["study"] == json.loads(study().canonical_json)
    assert exported["summary"][0]["half_regret_episodes"] is None


def test_the_command_writes_the_same_table_whatever_the_number_of_workers_and_does_only_what_is_missing(
    tmp_path: Path,
) -> None:
    tables = []
    for workers in ("1", "2"):
        folder = tmp_path / workers
        folder.mkdir()
        result = call(folder / "home", STUDY, folder / "results.csv", "--workers", workers)
        assert result.returncode == 0, result.stderr
        tables.append((folder / "results.csv").read_text())
    assert tables[0] == tables[1]
    assert len(tables[0].splitlines()) == 13
    assert len((tmp_path / "1" / "results.summary.csv").read_text().splitlines()) == 5
    times = [row.ended for row in Store(tmp_path / "1" / "home").index.rows()]
    larger = STUDY | {"seeds": 4}
    result = call(tmp_path / "1" / "home", larger, tmp_path / "1" / "larger.json")
    assert "16 runs, 12 of them stored already" in result.stderr
    assert len(json.loads((tmp_path / "1" / "larger.json").read_text())["rows"]) == 16
    assert times == [row.ended for row in Store(tmp_path / "1" / "home").index.rows()[4:]]


def test_an_interrupted_study_keeps_what_is_done_and_goes_on_later(tmp_path: Path) -> None:
    definition = {"base": {"horizon": 20, "samples": 500}, "axes": {"noise": [0.1, 0.2]}, "seeds": 15}
    (tmp_path / "study.json").write_text(json.dumps(definition))
    command = [sys.executable, "-m", "ppe_core", "study", "study.json", "--out", "results.csv"]
    environment = os.environ | {"PPE_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    end = time.monotonic() + 60
    while not list(tmp_path.glob("home/runs/*/record.json")):
        assert time.monotonic() < end
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does, to all processes of the terminal
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "runs are done and kept" in said and "Traceback" not in said
    rows = Store(tmp_path / "home").index.rows()
    kept = [row for row in rows if row.status is Status.DONE]
    assert 0 < len(kept) < 30
    assert {row.status for row in rows} == {Status.DONE, Status.STOPPED}
    assert len((tmp_path / "results.csv").read_text().splitlines()) == len(kept) + 1
    result = call(tmp_path / "home", definition, tmp_path / "results.csv")
    assert f"30 runs, {len(kept)} of them stored already" in result.stderr
    assert len((tmp_path / "results.csv").read_text().splitlines()) == 31


@pytest.mark.parametrize(
    ("arguments", "environment", "code", "words"),
    [
        (["no-such.json", "--out", "x.csv"], {}, 2, ["study: cannot read 'no-such.json'"]),
        (["README.md", "--out", "x.csv"], {}, 2, ["study: this is not JSON"]),
        (["README.md", "--out", "x.txt"], {}, 2, ["out: 'x.txt' must end in .csv or .json"]),
        (["{study}", "--out", "x.csv", "--workers", "0"], {}, 2, ["workers: '0'", "1 to 256"]),
        (["{study}", "--out", "x.csv"], {"PPE_WORKERS": "x"}, 2, ["PPE_WORKERS: 'x'"]),
        (["{study}", "--out", "x.csv"], {"PPE_HOME": "/dev/null"}, 1, ["PPE_HOME: /dev/null cannot be made a folder"]),
        (["{study}", "--out", "x.csv"], {"PPE_CLUSTER": "moon"}, 1, ["PPE_CLUSTER", "'moon'"]),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], environment: dict, code: int, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "study.json").write_text(json.dumps(STUDY))
    arguments = [argument.format(study=tmp_path / "study.json") for argument in arguments]
    result = subprocess.run(
        [sys.executable, "-m", "ppe_core", "study", *arguments], capture_output=True, text=True, cwd=ROOT,
        env=os.environ | {"PPE_HOME": str(tmp_path / "home")} | environment,
    )  # fmt: skip
    lines = [line for line in result.stderr.splitlines() if "stored already" not in line]
    assert (result.returncode, len(lines)) == (code, 1), result.stderr
    assert all(word in lines[0] for word in words)


def test_runs_are_listed_pinned_and_pruned_from_the_command_line(tmp_path: Path) -> None:
    call(tmp_path, STUDY | {"axes": {}, "seeds": 2}, tmp_path / "results.csv")

    def runs(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "ppe_core", "runs", *arguments]
        everything = os.environ | {"PPE_HOME": str(tmp_path)} | environment
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=everything)

    first, second = (line.split()[0] for line in runs().stdout.splitlines())
    assert "pinned" in runs("--pin", first).stdout
    assert "1 runs removed" in runs("--prune", PPE_STORE_MEGABYTES="0.001").stdout
    assert runs().stdout.startswith(first) and second not in runs().stdout
    assert runs("--pin", "x").returncode == 2
