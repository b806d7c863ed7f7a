"""The show command: sampled observations as a picture."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ppe_core.__main__ import main
from ppe_core.config import RunConfig
from ppe_core.envs.registry import make_environment


def test_the_gridworlds_picture_starts_with_its_first_observation(tmp_path: Path) -> None:
    out = tmp_path / "obs.png"
    assert main(["show", "--env", "grid", "--ellipses", "0", "--absorbing", "--horizon", "2", "--out", str(out)]) == 0
    environment = make_environment(RunConfig.from_flat({"env": "grid", "ellipses": 0}))
    first = environment.observe_states(np.zeros(1, int), 0, np.random.default_rng(0))[0]
    with Image.open(out) as image:
        picture = np.array(image)
    frame = first.repeat(3, axis=0).repeat(3, axis=1)
    columns = range(picture.shape[1] - frame.shape[1])
    assert sum(np.array_equal(picture[8 : 8 + len(frame), x : x + frame.shape[1]], frame) for x in columns) == 6


def test_the_lock_is_shown_too(tmp_path: Path) -> None:
    out = tmp_path / "lock.png"
    assert main(["show", "--out", str(out)]) == 0
    with Image.open(out) as image:
        assert image.width > image.height > 100


def test_the_same_seed_gives_the_same_picture(tmp_path: Path) -> None:
    for name, seed in (("a", "0"), ("b", "0"), ("c", "1")):
        main(["show", "--env", "grid", "--seed", seed, "--horizon", "1", "--out", str(tmp_path / f"{name}.png")])
    a, b, c = ((tmp_path / f"{name}.png").read_bytes() for name in "abc")
    assert a == b != c


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--out", "{folder}/none/obs.png"], "cannot write"),
        (["--out", "{folder}"], "must end in .png"),
        (["--out", "{folder}/folder.png"], "cannot write"),
        (["--out", "{folder}/obs.png", "--env", "grid", "--absorbing", "maybe"], "not on or off"),
        ([], "--out"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(SystemExit) as exit:
        main(["show", *(argument.format(folder=tmp_path) for argument in arguments)])
    error = capsys.readouterr().err
    assert exit.value.code == 2
    assert words in error and error.count("\n") == 1
