"""What each figure of the paper's section 6 takes: lines of runs, as studies of the run engine.

`full` is as in the paper (seeds and grids of its appendix), `quick` the same figure in minutes; what
is less than in the paper is said in `reduced`, and the figure shows it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ppe_core.config import RunConfig
from ppe_core.experiments.comparison import for_learner
from ppe_core.experiments.study import Study
from ppe_core.metrics import HALF_REGRET_LIMIT

SCALES = ("quick", "full")
HORIZONS = (5, 10, 20, 40)
NOISES = (0, 100)  # exogenous bits of figure 2c
AS_PRINTED = {"gap": "paper", "recipe": "paper", "sampling": "iid"}  # PPE, algorithm and appendix to the letter
PRINTED, SIGNATURE = "PPE as printed", "PPE, signature gap"
HOMER, ID, PPO, RND, BISIM, AC_STATE = "Homer", "ID", "PPO", "PPO + RND", "Bisim", "AC-State"
HOMER_QUIET = "Homer, no noise"
RANDOM = "random decoder"
LONG = 20  # horizons from here on: training ends when half the episodes have passed


class Line(NamedTuple):
    """One algorithm of a figure, over its grid and seeds."""

    name: str
    studies: tuple[Study, ...]


@dataclass(frozen=True)
class PaperFigure:
    name: str  # fig2b
    title: str
    place: str  # in the paper
    shows: str  # what is drawn, in a sentence
    reduced: Mapping[str, str]  # by scale, what is less than in the paper

    def lines(self, scale: str) -> list[Line]:
        return _LINES[self.name](scale == "full")

    def configs(self, scale: str) -> list[RunConfig]:
        """Every run, once."""
        runs = (config for line in self.lines(scale) for study in line.studies for config in study.configs())
        return list(dict.fromkeys(runs))


FIGURES = {
    figure.name: figure
    for figure in (
        PaperFigure(
            "fig2a", "The lock’s latent graph, recovered", "Figure 2a",
            "The graph that PPE recovers of the combination lock with H = 2: three states a time step.",
            {"quick": "3 seeds instead of 10.", "full": ""},
        ),
        PaperFigure(
            "fig2b", "Episodes to half regret", "Figure 2b",
            "The first episode at which all return so far, training included, is half of what could have been earned; "
            "of each algorithm the median over seeds, at the best point of its grid; hollow at ∞: not within 500,000.",
            {
                "quick": "One seed, and one point of its grid, for PPO + RND and Bisim; N = 2,000 only for Homer and "
                "ID; beyond H = 5 only PPO + RND, and ID at H = 20.",
                "full": "At H = 20 and 40, PPO, PPO + RND and Bisim train for 250,000 episodes and then act by what "
                "they have learned: what has earned nothing by then cannot make it within 500,000.",
            },
        ),
        PaperFigure(
            "fig2c", "Decoding accuracy against samples", "Figure 2c",
            "How often a decoder knows whether two observations of the last time step (H = 2) show the same state; "
            "mean and standard deviation over seeds; solid without, dashed with 100 exogenous bits.",
            {"quick": "3 seeds instead of 10 for all but PPE, and three sizes of N.", "full": ""},
        ),
        PaperFigure(
            "fig3ab", "Observations of the visual gridworld", "Figures 3a and 3b",
            "What the agent sees at h = 1 and h = 2: an arrow, walls, lava, a goal, and five ellipses that move by "
            "themselves.",
            {"quick": "", "full": ""},
        ),
        PaperFigure(
            "fig3c", "Errors of the recovered model against samples", "Figure 3c",
            "Type 1 errors (different states merged) and type 2 errors (the same state kept apart) on the gridworld, "
            "H = 8, over all pairs of paths.",
            {
                "quick": "One seed; the paper gap at N = 2,000 only.",
                "full": "The paper gap up to the N that two cores had time for, one seed; the paper went to 500,000.",
            },
        ),
        PaperFigure(
            "fig3d", "Decoding accuracy on the gridworld", "Figure 3d",
            "As figure 2c, on pictures: the 13 states of the gridworld at H = 2, beside a decoder that guesses.",
            {"quick": "1 seed instead of 10, and two sizes of N.", "full": "Homer at three sizes of N."},
        ),
    )
}  # fmt: skip


def _study(seeds: int, axes: Mapping[str, Any] | None = None, **base: Any) -> Study:
    return Study.make(RunConfig.from_flat(base), axes or {}, list(range(seeds)))


def _fig2a(full: bool) -> list[Line]:
    return [Line(SIGNATURE, (_study(10 if full else 3, horizon=2),))]


def _fig2b(full: bool) -> list[Line]:
    seeds, one = 5, 5 if full else 1
    sizes = [500, 2000, 5000]
    abstraction_sizes = [2000, 5000, 10_000] if full else [2000]
    horizons = HORIZONS if full else HORIZONS[:1]
    return [
        Line(PRINTED, (_study(seeds, {"horizon": HORIZONS, "samples": sizes}, **AS_PRINTED),)),
        Line(SIGNATURE, (_study(seeds, {"horizon": HORIZONS, "samples": sizes}),)),
        Line(HOMER, (_study(seeds, {"horizon": horizons, "samples": abstraction_sizes}, learner="homer"),)),
        Line(ID, (_study(seeds, {"horizon": HORIZONS if full else HORIZONS[::2], "samples": abstraction_sizes},
                         learner="id"),)),
        Line(HOMER_QUIET, (_study(seeds, {"samples": abstraction_sizes}, learner="homer", horizon=5, exo_dim=0),)),
        Line(PPO, _by_episode(horizons, seeds, {"entropy": [0.1, 0.01]}, learner="ppo")),
        Line(RND, _by_episode(HORIZONS, one, {"entropy": [0.1, 0.01], "bonus": [100, 500]} if full else {},
                              learner="ppo-rnd")),
        Line(BISIM, _by_episode(horizons, one, {}, learner="bisim")),
    ]  # fmt: skip


def _by_episode(horizons: tuple[int, ...], seeds: int, axes: Mapping[str, Any], **base: Any) -> tuple[Study, ...]:
    """Learners that train on whole episodes: as many at every H, so N·H is fixed and not N."""
    return tuple(_study(seeds, axes, horizon=h, samples=_training_episodes(h) // h, **base) for h in horizons)


def _training_episodes(horizon: int) -> int:
    return HALF_REGRET_LIMIT if horizon < LONG else HALF_REGRET_LIMIT // 2


def _fig2c(full: bool) -> list[Line]:
    seeds = 10 if full else 3
    axes = {"exo_dim": NOISES, "samples": [100, 250, 500, 1000, 2000, 5000, 10_000] if full else [500, 2000, 10_000]}
    return [
        Line(PRINTED, (_study(10, axes, horizon=2, **AS_PRINTED),)),
        Line(SIGNATURE, (_study(10, axes, horizon=2),)),
        *(Line(name, (_study(seeds, axes, horizon=2, learner=learner),))
          for name, learner in ((HOMER, "homer"), (ID, "id"), (AC_STATE, "ac-state"))),
    ]  # fmt: skip


def _fig3ab(full: bool) -> list[Line]:
    return []


def _fig3c(full: bool) -> list[Line]:
    grid = {"env": "grid", "horizon": 8}
    fast = [2000, 5000, 10_000, 20_000] if full else [2000, 5000]
    slow = [2000, 5000, 10_000, 20_000, 50_000, 100_000] if full else [2000]
    return [
        Line(SIGNATURE, (_study(5 if full else 1, {"samples": fast}, **grid),)),
        Line(PRINTED, (_study(1, {"samples": slow}, **grid, **AS_PRINTED),)),
    ]


def _fig3d(full: bool) -> list[Line]:
    seeds = 10 if full else 1
    sizes = [250, 500, 1000, 2000, 5000] if full else [500, 2000]
    grid = {"env": "grid", "horizon": 2}
    homer = for_learner(RunConfig.from_flat(grid), "homer").flat()
    return [
        Line(PRINTED, (_study(seeds, {"samples": sizes}, **grid, **AS_PRINTED),)),
        Line(SIGNATURE, (_study(seeds, {"samples": sizes}, **grid),)),
        Line(HOMER, (_study(seeds, {"samples": [500, 2000, 5000] if full else sizes}, **homer),)),
    ]


_LINES = {"fig2a": _fig2a, "fig2b": _fig2b, "fig2c": _fig2c, "fig3ab": _fig3ab, "fig3c": _fig3c, "fig3d": _fig3d}
