import numpy as np
import pytest

from ppe_core.config import GridSettings, RunConfig, option_fields
from ppe_core.envs.registry import make_environment


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


# A changed value of every field, with which the world must change.
CHANGES = {
    "layout": "empty",
    "absorbing": "on",
    "distractor": "flicker",
    "ellipses": 4,
    "ellipse_style": "filled",
    "thickness": 2,
    "speed": 3,
}


def world(**settings: object) -> list[bytes]:
    """What a learner sees and earns on some random paths."""
    environment = make_environment(RunConfig.from_flat({"env": "grid", "horizon": 10} | settings))
    rng = np.random.default_rng(0)
    latent, rewards = environment.rollout(rng.integers(5, size=(200, 10)), rng)
    return [environment.observe(latent, rng).tobytes(), rewards.tobytes()]


def test_the_list_of_changes_is_complete() -> None:
    assert set(CHANGES) == {field.name for field in option_fields(GridSettings)}


@pytest.mark.parametrize("field", CHANGES)
def test_every_field_changes_the_world(field: str) -> None:
    assert world() != world(**{field: CHANGES[field]})
