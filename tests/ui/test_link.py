"""The config in the link: what is right is kept, what is wrong is named."""

import pytest

from ppe_core.config import RunConfig
from ui import link
from ui.text import plain


def test_every_config_survives_the_way_through_a_link() -> None:
    config = RunConfig.from_flat(
        {"horizon": 7, "noise": 0.05, "emission": "gaussian", "gap": "paper", "seed": 2**32 - 1}
    )
    assert link.read(link.parameters(config)) == (config, [])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("horizon", "many"),
        ("horizon", "0"),
        ("horizon", "1e9"),
        ("noise", "nan"),
        ("noise", "-1"),
        ("seed", "9" * 5000),
        ("gap", "<b>wide</b>"),
        ("env", "casino"),
        ("colour", "red"),
        ("", "x"),
    ],
)
def test_a_bad_value_is_named_and_the_good_ones_are_kept(name: str, value: str) -> None:
    config, problems = link.read({"samples": "700", "actions": "4", name: value})
    assert config == RunConfig.from_flat({"samples": 700, "actions": 4})
    assert len(problems) == 1
    assert problems[0].startswith(f"{name}: ")


def test_a_sample_size_is_judged_by_the_number_of_actions_in_the_same_link() -> None:
    config, problems = link.read({"samples": "5", "actions": "4", "colour": "red"})
    assert (config.samples, config.environment.actions, len(problems)) == (5, 4, 1)


def test_text_from_outside_is_never_markup() -> None:
    assert plain("<b>[x](y)</b>") == r"\<b\>\[x\]\(y\)\<\/b\>"
    assert all(address not in plain(address).replace("\\", "") for address in ("http://y", "www.y.org", "a@y.org"))


def test_long_text_keeps_its_beginning_and_its_end() -> None:
    text = plain("horizon " + "9" * 10_000 + " is outside the allowed range 1 to 200")
    assert text.startswith("horizon 999")
    assert text.endswith("999 is outside the allowed range 1 to 200")
    assert len(text) < 300


def test_a_link_of_a_newer_version_says_so_and_gives_what_it_can() -> None:
    config, problems = link.read({"v": "2", "horizon": "7"})
    assert config.horizon == 7
    assert problems == ["v: the link is of version 2, made by a newer PPE Lab than this one, which reads 1"]


@pytest.mark.parametrize("version", ["", "0", "-1", "one", "9" * 10_000, "<b>"])
def test_a_version_that_is_none_is_named(version: str) -> None:
    assert "is not a version of links; this PPE Lab reads 1" in link.read({"v": version})[1][0]
