"""What two of the figures show beside numbers: a recovered graph, and observations."""

from pathlib import Path

from ppe_core.config import RunConfig
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.bundle import unpacked, write
from ppe_core.experiments.observations import sample_episodes
from ppe_core.experiments.paper.results import COMMITTED
from ppe_core.experiments.record_zip import read_record
from ppe_core.experiments.records import RunRecord
from ppe_core.figures.pictures import contact_sheet
from ppe_core.seeding import Seeds

LOCK = RunConfig.from_flat({"horizon": 2})
GRID = RunConfig.from_flat({"env": "grid", "horizon": 2})
TIME_STEPS = 2  # of figures 3a and 3b


def make(name: str, folder: Path) -> None:
    """Write what a figure shows beside its numbers, if it shows anything."""
    if name == "fig2a":
        from ppe_core.experiments.run import run  # torch, which a page does without

        write(run(LOCK), folder / "fig2a.zip")
    elif name == "fig3ab":
        environment = make_environment(GRID)
        frames = sample_episodes(environment, Seeds(GRID.seed).generator("evaluation"))[:TIME_STEPS]
        contact_sheet(frames, [f"h = {h}" for h in range(1, TIME_STEPS + 1)]).save(folder / "fig3ab.png")


def lock_record(folder: Path = COMMITTED) -> RunRecord:
    return unpacked(read_record(folder / "fig2a.zip"))


def gridworld_picture(folder: Path = COMMITTED) -> Path:
    return folder / "fig3ab.png"
