import pytest

from ppe_core.config import GridSettings, RunConfig


def test_defaults_are_those_of_the_design() -> None:
    flat = RunConfig.from_flat({"env": "grid"}).flat()
    expected = {"layout": "paper", "ellipses": 5, "ellipse_style": "outline", "absorbing": False, "thickness": 1,
                "speed": 2, "distractor": "ellipses"}  # fmt: skip
    assert flat | expected == flat


@pytest.mark.parametrize("text", ["on", "true", "True", "1", 1, True])
def test_a_switch_is_turned_on(text: object) -> None:
    assert GridSettings(absorbing=text).absorbing is True  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["off", "false", "False", "0", 0, False])
def test_a_switch_is_turned_off(text: object) -> None:
    assert GridSettings(absorbing=text).absorbing is False  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["maybe", 2, None, "", 0.5])
def test_a_switch_is_on_or_off(value: object) -> None:
    with pytest.raises(ValueError, match=r"absorbing: .* is not on or off"):
        GridSettings(absorbing=value)  # type: ignore[arg-type]


def test_what_changes_nothing_has_one_value() -> None:
    ghost = GridSettings(distractor="ghost")
    assert ghost == GridSettings(distractor="ghost", ellipses=9, ellipse_style="filled", thickness=3, speed=7)
    assert GridSettings(ellipse_style="filled", thickness=3) == GridSettings(ellipse_style="filled")
    assert GridSettings(ellipses=0, speed=7) == GridSettings(distractor="none")


def test_a_config_survives_its_flat_form() -> None:
    for settings in ({}, {"absorbing": "on", "layout": "maze"}, {"distractor": "cast"}, {"ellipses": 0}):
        config = RunConfig.from_flat({"env": "grid"} | settings)
        assert RunConfig.from_flat(config.flat()) == config
