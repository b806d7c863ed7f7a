"""`reproduce` as others call it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ppe_core.experiments.paper import results
from ppe_core.experiments.paper.studies import FIGURES
from ppe_core.experiments.store import Store

ROOT = Path(__file__).parents[3]


def call(home: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "ppe_core", "reproduce", *arguments],
        capture_output=True, text=True, cwd=ROOT, env=os.environ | {"PPE_HOME": str(home)},
    )  # fmt: skip


def test_a_figure_is_run_once_judged_and_written(tmp_path: Path) -> None:
    first = call(tmp_path / "home", "fig2a", "--out", str(tmp_path / "out"))
    assert first.returncode == 0
    assert "3 runs, 0 of them stored already" in first.stderr and "3 runs will take ≈" in first.stderr
    assert "[agrees] The latent dynamics are three states a time step" in first.stdout
    assert "in 3 of 3 seeds" in first.stdout
    assert "2 of 2 verdicts are those of the committed results" in first.stdout
    written = results.read(FIGURES["fig2a"], "quick", tmp_path / "out")
    assert written and len(written.runs) == 3 and (tmp_path / "out" / "fig2a.zip").exists()
    again = call(tmp_path / "home", "fig2a")
    assert "3 runs, 3 of them stored already" in again.stderr and again.stdout == first.stdout
    other = call(tmp_path / "other home", "fig2a", "--missing", "--out", str(tmp_path / "out"))
    assert "0 runs" in other.stderr
    assert results.read(FIGURES["fig2a"], "quick", tmp_path / "out") == written


def test_an_interrupted_figure_says_what_it_has_and_goes_on_later(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ppe_core", "reproduce", "fig2c", "--out", str(tmp_path / "out")]
    with subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {"PPE_HOME": str(tmp_path / "home")}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        configs = FIGURES["fig2c"].configs("quick")
        while not (tmp_path / "home" / "index.sqlite").exists():
            time.sleep(0.1)
        store = Store(tmp_path / "home")
        while not any(map(store.summaries(configs), configs)):
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        said, complaints = process.communicate()
    assert process.returncode == 130 and "the same call does the rest" in complaints
    assert f"of {len(configs)} runs" in said and "Traceback" not in complaints
    found = results.read(FIGURES["fig2c"], "quick", tmp_path / "out")
    assert found and 0 < found.about["finished"] < len(configs) == len(found.missing) + found.about["finished"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fig9"], ["figure: 'fig9'", "fig2a, fig2b", "all"]),
        (["fig2a", "--scale", "huge"], ["scale: 'huge'", "quick, full"]),
        (["fig2a", "--workers", "0"], ["workers: '0'", "1 to 256"]),
        (["fig3ab", "--out", "/dev/null/x"], ["out: cannot write in '/dev/null/x'"]),
        ([], ["FIGURE"]),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    result = call(tmp_path, *arguments)
    assert result.returncode == 2 and result.stdout == ""
    line = result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr and all(word in line for word in words)
