import pytest

from ppe_core.config import (
    LEARNERS,
    GridSettings,
    HomerSettings,
    RunConfig,
    TabularSettings,
    all_option_fields,
    option_fields,
)
from ppe_core.experiments.run import run


def test_defaults_are_those_of_the_design() -> None:
    flat = RunConfig().flat()
    expected = {"env": "lock", "learner": "ppe", "horizon": 5, "samples": 500, "seed": 0, "gap": "signature",
                "recipe": "fast", "sampling": "balanced", "actions": 10, "exo_dim": -1, "noise": 0.1, "flip": 0.1,
                "eta": 0.0}  # fmt: skip
    assert flat | expected == flat


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"horizon": 0}, ["horizon", "0", "1 to 200"]),
        ({"horizon": 10**6}, ["horizon", "1000000", "1 to 200"]),
        ({"samples": 3}, ["samples", "3", "10 to 1000000"]),
        ({"noise": -1}, ["noise", "-1", "0 to 10"]),
        ({"noise": float("nan")}, ["noise", "nan", "0 to 10"]),
        ({"noise": "1e999"}, ["noise", "1e999", "0 to 10"]),
        ({"actions": 2}, ["actions", "2", "3 to 50"]),
        ({"seed": "x"}, ["seed", "'x'", "0 to 4294967295"]),
        ({"seed": 1.5}, ["seed", "1.5", "whole number"]),
        ({"seed": True}, ["seed", "True", "whole number"]),
        ({"seed": None}, ["seed", "None", "whole number"]),
        ({"env": "atari"}, ["env", "'atari'", "lock"]),
        ({"gap": "wide"}, ["gap", "'wide'", "signature, paper"]),
        ({"wat": 1}, ["wat", "no such setting", "horizon"]),
    ],
)
def test_bad_values_are_refused_with_field_value_and_range(values: dict, words: list[str]) -> None:
    with pytest.raises(ValueError) as error:
        RunConfig.from_flat(values)
    for word in words:
        assert word in str(error.value)


def test_text_and_numbers_give_the_same_config() -> None:
    assert RunConfig.from_flat({"horizon": "7", "noise": "0.2"}) == RunConfig.from_flat({"horizon": 7, "noise": 0.2})


def test_flat_form_round_trips() -> None:
    config = RunConfig.from_flat({"horizon": 7, "noise": 0.25, "gap": "paper", "eta": 0.01})
    assert RunConfig.from_flat(config.flat()) == config
    assert config.replace(horizon=8).horizon == 8


def test_id_is_stable_and_follows_every_field() -> None:
    assert RunConfig().id == RunConfig.from_flat({"horizon": 5}).id
    ids = {RunConfig().replace(**change).id for change in CHANGES.values()}
    assert len(ids) == len(CHANGES) and RunConfig().id not in ids


def test_a_learner_whose_results_changed_has_new_ids_and_the_others_keep_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    configs = [RunConfig.from_flat({"learner": name}) for name in ("ppe", "homer")]
    before = [config.id for config in configs]
    monkeypatch.setattr(HomerSettings, "results_version", 99)
    after = [RunConfig.from_flat(config.flat()).id for config in configs]
    assert after[0] == before[0] and after[1] != before[1]


def test_noiseless_emissions_say_so_in_the_config() -> None:
    assert RunConfig.from_flat({"emission": "hadamard", "noise": 0.3}).environment.noise == 0.0


# A changed value of every field, with which the record must change.
CHANGES = {
    "horizon": {"horizon": 4},
    "samples": {"samples": 140},
    "seed": {"seed": 1},
    "actions": {"actions": 6},
    "exo_dim": {"exo_dim": 7},
    "noise": {"noise": 0.3},
    "flip": {"flip": 0.4},
    "eta": {"eta": 0.4},
    "start_eta": {"start_eta": 0.4},
    "emission": {"emission": "gaussian"},
    "gap": {"gap": "paper"},
    "recipe": {"recipe": "paper"},
    "sampling": {"sampling": "iid"},
    "decoder": {"decoder": "printed"},
    "threshold": {"threshold": 0.05},
    "max_paths": {"max_paths": 15},
}


def test_the_list_of_changes_is_complete() -> None:
    others = [GridSettings, *(learner for name, learner in LEARNERS.items() if name != "ppe")]
    elsewhere = {
        field.name for part in others for field in option_fields(part)
    }  # test_grid_settings, test_run_baseline
    elsewhere |= {field.name for field in option_fields(TabularSettings)} - set(CHANGES)  # test_tabular
    assert set(CHANGES) == {field.name for field in all_option_fields()} - elsewhere


def fingerprint(config: RunConfig) -> str:
    summary = run(config).summary()
    return str({key: summary[key] for key in ("levels", "value", "optimal_value", "stopped", "episodes")})


@pytest.fixture(scope="module")
def base() -> RunConfig:
    """Small and hard enough that every field has something to change."""
    return RunConfig.from_flat({"horizon": 3, "samples": 120, "noise": 0.4})


@pytest.mark.parametrize("field", CHANGES)
def test_every_field_changes_the_record(field: str, base: RunConfig) -> None:
    assert fingerprint(base) != fingerprint(base.replace(**CHANGES[field]))
