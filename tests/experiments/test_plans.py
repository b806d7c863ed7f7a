"""Planning in three ways with one run of PPE, as the Theory page offers it, in a worker."""

import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.index import Status
from ppe_core.experiments.plans import LONGEST_HORIZON, TRIALS, PlansRecord, check_plannable, compare_plans
from ppe_core.experiments.work import Outcome, Task, Work
from ppe_core.experiments.workers import Pool


def config(**settings) -> RunConfig:
    return RunConfig.from_flat(settings)


def in_worker(pool: Pool, asked: RunConfig) -> Outcome:
    return pool.submit(Task("", asked.flat(), 0, Work.PLAN)).result(timeout=60)


def test_with_a_reward_in_the_noise_only_psdp_earns_all() -> None:
    """Counting knows where it is, but not whether the light is on."""
    found = compare_plans(config(env="exo-lock"))
    assert (found.optimal, found.plan) == pytest.approx((1.0, 0.5))
    assert found.psdp >= 0.95
    assert found.counted == pytest.approx(0.5, abs=3 * 0.5 / TRIALS**0.5)


def test_on_a_ring_that_leads_astray_looking_is_worth_more_than_the_plan() -> None:
    found = compare_plans(config(env="tabular", world="ring", eta=0.05, samples=2000, horizon=8))
    assert found.counted > found.plan + 0.1


def test_a_worker_plans_and_leaves_nothing_but_its_answer(pool: Pool) -> None:
    asked = config(horizon=3)
    outcome = in_worker(pool, asked)
    assert outcome.status == Status.DONE and outcome.summary
    assert PlansRecord.from_dict(outcome.summary) == compare_plans(asked)


def test_a_run_that_stops_early_cannot_be_planned_with_and_says_so(pool: Pool) -> None:
    outcome = in_worker(pool, config(horizon=3, samples=100, max_paths=30, threshold=0))
    assert outcome.status == Status.FAILED
    assert outcome.message and outcome.message.startswith("PSDP needs a cover of every time step")


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"env": "grid"}, "env: on pictures"), ({"horizon": LONGEST_HORIZON + 1}, "horizon: 21 is more than the 20"),
     ({"learner": "ppo"}, "learner: 'ppo' finds no cover")],
)  # fmt: skip
def test_what_would_take_long_is_refused_in_words(settings: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check_plannable(config(**settings))
    with pytest.raises(ValueError, match=words):
        compare_plans(config(**settings))
