"""The command line as others call it: a process, its output and its exit code."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def call(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "ppe_core", *arguments],
        capture_output=True, text=True, cwd=ROOT, env=os.environ | environment,
    )  # fmt: skip


def test_run_prints_one_json_object_and_nothing_else() -> None:
    result = call("run", "--env", "lock", "--horizon", "5", "--samples", "500", "--seed", "0", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    summary = json.loads(result.stdout)
    assert (summary["type1"], summary["type2"], summary["value"]) == (0, 0, 1.0)
    assert [level["h"] for level in summary["levels"]] == [1, 2, 3, 4, 5]


def test_two_processes_with_other_thread_counts_print_the_same() -> None:
    outputs = []
    for threads in ("1", "2"):
        counts = {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        summary = json.loads(
            call("run", "--horizon", "6", "--samples", "700", "--seed", "8", "--json", **counts).stdout
        )
        del summary["seconds"]
        outputs.append(summary)
    assert outputs[0] == outputs[1]


def test_run_without_json_is_for_people() -> None:
    result = call("run", "--horizon", "2")
    assert result.returncode == 0
    assert "0 wrong merges (type 1), 0 missed merges (type 2)" in result.stdout


def test_exact_prints_the_closed_forms() -> None:
    summary = json.loads(call("exact", "--env", "lock", "--horizon", "3", "--json").stdout)
    assert [level["bayes_cross_entropy"] for level in summary["levels"]] == pytest.approx(
        [1.6636, 3.1101, 3.1101], abs=1e-4
    )
    assert [level["gap_different_min"] for level in summary["levels"]] == pytest.approx([0.2, 2 / 30, 2 / 30])
    assert [level["signature_gap_same_max"] for level in summary["levels"]] == pytest.approx([0, 0, 0], abs=1e-12)
    assert summary["optimal_value"] == 1.0


def test_psdp_prints_what_looking_is_worth() -> None:
    result = call("psdp", "--env", "exo-lock", "--horizon", "3", "--psdp-samples", "1000", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    summary = json.loads(result.stdout)
    assert summary["value"] > 0.95 and (summary["plan_value"], summary["optimal_value"]) == (0.5, 1.0)
    assert summary["episodes"] == summary["ppe_episodes"] + 3 * 1000


def test_envs_lists_what_env_accepts() -> None:
    result = call("envs")
    assert result.returncode == 0
    assert "lock" in result.stdout and "PPE/CombinationLock-v0" in result.stdout and "--noise" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "--horizon", "0"], ["horizon", "0", "1 to 200"]),
        (["run", "--horizon", "1000000"], ["horizon", "1000000", "1 to 200"]),
        (["run", "--samples", "3"], ["samples", "3", "10 to"]),
        (["run", "--noise", "-1"], ["noise", "-1", "0 to 10"]),
        (["run", "--actions", "2"], ["actions", "2", "3 to 50"]),
        (["run", "--seed", "x"], ["seed", "'x'", "0 to"]),
        (["exact", "--env", "tabular", "--world", "random-200-20-1"], ["max_paths", "3540", "1000"]),
        (["run", "--env", "tabular", "--world", "mars"], ["world", "'mars'", "park", "random-S-A-X"]),
        (["run", "--env", "moon"], ["env", "'moon'", "lock"]),
        (["run", "--learner", "sarsa"], ["learner", "'sarsa'", "ppe"]),
        (["run", "--gap"], ["--gap"]),
        (["run", "--hor", "3"], ["--hor"]),
        (["exact", "--eta", "2"], ["eta", "2", "0 to 1"]),
        (["psdp", "--psdp-samples", "0"], ["psdp_samples", "0", "1 to"]),
        (["psdp", "--learner", "ppo"], ["learner", "'ppo'", "ppe"]),
        (["dance"], ["dance", "run"]),
        ([], ["COMMAND"]),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], words: list[str]) -> None:
    result = call(*arguments, "--json") if arguments[:1] == ["run"] and len(arguments) > 2 else call(*arguments)
    assert result.returncode == 2 and result.stdout == ""
    assert result.stderr.count("\n") == 1 and "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


def test_progress_shows_on_a_terminal() -> None:
    reader, writer = pty.openpty()
    command = [sys.executable, "-m", "ppe_core", "run", "--horizon", "3", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=writer, text=True, cwd=ROOT) as process:
        shown = os.read(reader, 1000).decode()
        os.close(writer)
        output, _ = process.communicate()
    os.close(reader)
    assert json.loads(output)["exact_recovery"]
    assert "0/3" in shown and "level" in shown
