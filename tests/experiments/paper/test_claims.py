"""Each claim is held against made-up results that fulfil it, and others that do not."""

from collections.abc import Callable

import pytest

from ppe_core.experiments.paper.claims import CLAIMS, Verdict, finding, of_figure
from ppe_core.experiments.paper.results import Measured, committed
from ppe_core.experiments.paper.studies import (
    AS_PRINTED,
    BISIM,
    FIGURES,
    HOMER,
    HOMER_QUIET,
    HORIZONS,
    ID,
    PPO,
    PRINTED,
    RND,
    SIGNATURE,
)
from tests.experiments.paper.made import made, results

GRID = {"env": "grid", "horizon": 8}


def verdict(start: str, *runs: Measured) -> Verdict:
    """Of the claim whose words begin so, on results that are these runs."""
    (claim,) = [claim for claim in CLAIMS if claim.says.startswith(start)]
    return finding(claim, {claim.figure: results(claim.figure, *runs)}).verdict


def locks(line: str, solved: Callable[[int], bool], horizons: tuple[int, ...] = HORIZONS, **more: object) -> list:
    """Five seeds at each H, solved or never."""
    return [
        made(line, seed, horizon=h, samples=500, half_regret_episodes=2000 * h if solved(h) else None, **more)
        for h in horizons for seed in range(5)
    ]  # fmt: skip


def decoders(line: str, quiet: float, noisy: float, samples: int = 10_000) -> list[Measured]:
    return [
        made(line, seed, horizon=2, samples=samples, exo_dim=bits, decoding_accuracy=accuracy)
        for bits, accuracy in ((0, quiet), (100, noisy)) for seed in range(3)
    ]  # fmt: skip


def test_without_runs_nothing_is_said() -> None:
    for claim in CLAIMS:
        if FIGURES[claim.figure].configs("full"):
            assert finding(claim, {}).verdict == Verdict.UNKNOWN
            assert finding(claim, {claim.figure: results(claim.figure)}).verdict == Verdict.UNKNOWN


def test_the_graph_must_be_exact_in_every_seed() -> None:
    right, wrong = made(SIGNATURE, horizon=2), made(SIGNATURE, 1, horizon=2, type2=1)
    assert verdict("The latent dynamics", right) == Verdict.AGREES
    assert verdict("The latent dynamics", right, wrong) == Verdict.DIFFERS
    assert verdict("V(", right) == Verdict.AGREES
    assert verdict("V(", right, made(SIGNATURE, 2, horizon=2, optimal_value=0.5)) == Verdict.DIFFERS


@pytest.mark.parametrize(
    ("claim", "line", "right", "in_part", "wrong"),
    [
        ("PPE solves the problem for all values of H (ours", SIGNATURE, HORIZONS, (5,), ()),
        ("PPE solves the problem for all values of H (the", PRINTED, HORIZONS, (5, 10), ()),
        ("PPO + RND solves it", RND, (5, 10), (5,), (20,)),
        ("PPO + RND is unable", RND, (5, 10), (20,), (20, 40)),
        ("PPO is unable", PPO, (), (20,), HORIZONS),
        ("Homer is unable", HOMER, (), (5,), HORIZONS),
        ("ID is unable", ID, (), (40,), HORIZONS),
        ("Bisim fails", BISIM, (), (5,), HORIZONS),
    ],
)
def test_what_is_solved_and_what_is_not(claim: str, line: str, right: tuple, in_part: tuple, wrong: tuple) -> None:
    for solved, expected in ((right, Verdict.AGREES), (in_part, Verdict.PARTLY), (wrong, Verdict.DIFFERS)):
        assert verdict(claim, *locks(line, lambda h, solved=solved: h in solved)) == expected


def test_the_median_decides_and_the_best_point_of_the_grid() -> None:
    rarely = [made(PPO, s, horizon=5, half_regret_episodes=9 if s < 2 else None, learner="ppo") for s in range(5)]
    mostly = [made(PPO, s, horizon=5, half_regret_episodes=9 if s < 3 else None, learner="ppo", entropy=0.1)
              for s in range(5)]  # fmt: skip
    assert verdict("PPO is unable", *rarely) == Verdict.AGREES
    assert verdict("PPO is unable", *rarely, *mostly) == Verdict.DIFFERS


def test_ppe_is_cheapest_when_all_others_need_more() -> None:
    def against(episodes: int) -> Verdict:
        rivals = [made(RND, s, horizon=5, learner="ppo-rnd", half_regret_episodes=episodes) for s in range(5)]
        ours = [made(SIGNATURE, s, horizon=5, half_regret_episodes=5000) for s in range(5)]
        printed = [made(PRINTED, s, horizon=5, half_regret_episodes=20_000, **AS_PRINTED) for s in range(5)]
        return verdict("PPE is significantly", *rivals, *ours, *printed)

    assert [against(n) for n in (40_000, 10_000, 4000)] == [Verdict.AGREES, Verdict.PARTLY, Verdict.DIFFERS]


def test_homer_is_to_succeed_where_nothing_distracts() -> None:
    claim = "Removing the exogenous distractors"
    assert verdict(claim, *locks(HOMER_QUIET, lambda h: True, (5,), exo_dim=0)) == Verdict.AGREES
    assert verdict(claim, *locks(HOMER_QUIET, lambda h: False, (5,), exo_dim=0)) == Verdict.DIFFERS


def test_accuracy_with_and_without_noise() -> None:
    homer, clumsy = decoders(HOMER, 1.0, 0.55), decoders(HOMER, 0.9, 0.85)
    assert verdict("Without exogenous noise Homer", *homer) == Verdict.AGREES
    assert verdict("Without exogenous noise Homer", *clumsy) == Verdict.DIFFERS
    assert verdict("With exogenous noise the accuracy of Homer", *homer) == Verdict.AGREES
    assert verdict("With exogenous noise the accuracy of Homer", *clumsy) == Verdict.DIFFERS
    for accuracies, expected in (
        ((0.78, 0.72), Verdict.AGREES), ((0.78, 0.8), Verdict.PARTLY), ((0.78, 0.5), Verdict.DIFFERS),
    ):  # fmt: skip
        assert verdict("The accuracy of ID drops", *homer, *decoders(ID, *accuracies)) == expected
    assert verdict("Without exogenous noise ID", *decoders(ID, 0.78, 0.7)) == Verdict.AGREES
    assert verdict("Without exogenous noise ID", *decoders(ID, 0.99, 0.7)) == Verdict.DIFFERS
    assert verdict("ID has difficulty", *decoders(ID, 0.78, 0.7)) == Verdict.AGREES
    assert verdict("ID has difficulty", *decoders(ID, 0.56, 0.7)) == Verdict.DIFFERS


def test_ppe_always_decodes_and_needs_the_fewest() -> None:
    good, poor = decoders(SIGNATURE, 1.0, 0.99, 500), decoders(SIGNATURE, 1.0, 0.9, 500)
    assert verdict("PPE always learns a good decoder (ours", *good) == Verdict.AGREES
    assert verdict("PPE always learns a good decoder (ours", *poor) == Verdict.PARTLY
    late = [*decoders(HOMER, 0.7, 0.5, 500), *decoders(HOMER, 1.0, 0.5), *decoders(ID, 0.8, 0.8)]
    assert verdict("PPE is more sample-efficient", *good, *late) == Verdict.AGREES
    assert verdict("PPE is more sample-efficient", *decoders(SIGNATURE, 0.6, 1.0, 500), *late) == Verdict.DIFFERS


def test_errors_on_the_gridworld() -> None:
    clean = [made(SIGNATURE, s, samples=5000, levels=8, pairs=193_840, **GRID) for s in range(5)]
    faulty = [made(SIGNATURE, s, samples=5000, levels=8, pairs=900_000, type1=4, type2=900, **GRID, value=0.5)
              for s in range(5)]  # fmt: skip
    stopped = made(
        PRINTED, samples=20_000, levels=6, stopped="too many paths", type1=9, type2=999, **GRID, **AS_PRINTED
    )
    there = made(PRINTED, samples=500_000, levels=8, type1=0, type2=56, **GRID, **AS_PRINTED)
    for claim in ("Type 1 errors", "Type 2 errors"):
        assert verdict(claim, *clean, stopped) == Verdict.PARTLY  # ours does, the printed one was not run so far
        assert verdict(claim, *clean, there) == Verdict.AGREES
        assert verdict(claim, *faulty, stopped) == Verdict.DIFFERS
    for claim in ("At most 0.03%", "The agent plans"):
        assert verdict(claim, *clean, stopped) == Verdict.PARTLY
        assert verdict(claim, *clean, there) == Verdict.AGREES
        assert verdict(claim, *faulty, there) == Verdict.DIFFERS
    assert verdict("About 200,000 pairs", *clean) == Verdict.AGREES


def test_decoders_of_pictures() -> None:
    grid = {"env": "grid", "horizon": 2, "samples": 2000}
    for accuracy, ppe, homer in ((1.0, Verdict.AGREES, Verdict.DIFFERS), (0.86, Verdict.DIFFERS, Verdict.AGREES)):
        runs = [made(line, horizon=2, samples=2000, env="grid", decoding_accuracy=accuracy)
                for line in (SIGNATURE, HOMER)]  # fmt: skip
        assert verdict("PPE rapidly", *runs) == ppe
        assert verdict("Homer performs only", *runs) == homer
    assert verdict("PPE rapidly", made(SIGNATURE, **grid, decoding_accuracy=0.5)) == Verdict.DIFFERS


def test_what_is_measured_without_a_run() -> None:
    assert [finding(claim, {"fig3ab": results("fig3ab")}).verdict for claim in of_figure("fig3ab")] == [
        Verdict.AGREES, Verdict.AGREES
    ]  # fmt: skip


def test_every_disagreement_is_explained() -> None:
    for claim in CLAIMS:
        told = finding(claim, committed())
        assert told.measured and (told.verdict == Verdict.AGREES or told.why), claim.says
