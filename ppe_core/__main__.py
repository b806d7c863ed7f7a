"""The engine without a browser: `python -m ppe_core --help`."""

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from ppe_core.config import ENVIRONMENTS, LEARNERS, RunConfig, all_option_fields, option_fields

BAD_INPUT = 2
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options = vars(parser.parse_args(arguments))
    command: Callable[..., None] = options.pop("command")
    try:
        command(options)
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stderr.close()
    return 0


def _run(options: dict[str, Any]) -> None:
    as_json = options.pop("json")
    config = _config(options)

    from ppe_core.experiments.run import run

    with _Progress(config) as progress:
        record = run(config, progress)
    summary = record.summary()
    if as_json:
        print(json.dumps(summary))
        return
    print(f"{'h':>4} {'paths':>6} {'states':>7} {'found':>6} {'wrong':>6} {'missed':>7} {'decoding':>9}")
    for level in summary["levels"]:
        print(
            f"{level['h']:>4} {level['paths']:>6} {level['states_true']:>7} {level['states_found']:>6} "
            f"{level['type1']:>6} {level['type2']:>7} {level['decoding_accuracy']:>9.1%}"
        )
    print(
        f"{summary['type1']} wrong merges (type 1), {summary['type2']} missed merges (type 2), "
        f"plan worth {record.value:.3g} of {record.optimal_value:.3g}, "
        f"{record.episodes:,} episodes, {record.seconds:.2f} s, run {config.id}"
    )
    if record.stopped:
        print(f"stopped: {record.stopped}")


def _exact(options: dict[str, Any]) -> None:
    as_json = options.pop("json")
    config = _config(options)

    from ppe_core.envs.registry import make_environment
    from ppe_core.theory.oracle import exact_levels, optimal_value

    endogenous = make_environment(config).endogenous
    levels = []
    for level in exact_levels(endogenous, config.horizon, config.learner.threshold):
        gap, signature = level.extremes(level.gap), level.extremes(level.signature_gap)
        levels.append(
            {
                "h": level.h,
                "paths": level.num_paths,
                "states_true": len(set(level.true_states.tolist())),
                "bayes_cross_entropy": level.bayes_cross_entropy,
                "gap_same_max": gap[0],
                "gap_different_min": gap[1],
                "signature_gap_same_max": signature[0],
                "signature_gap_different_min": signature[1],
                "threshold": config.learner.threshold / level.num_paths,
            }
        )
    best = optimal_value(endogenous, config.horizon)
    if as_json:
        print(json.dumps({"config": config.flat(), "levels": levels, "optimal_value": best}))
        return
    print(
        f"{'h':>4} {'paths':>6} {'states':>7} {'Bayes loss':>11} "
        f"{'gap same':>9} {'gap different':>14} {'threshold':>10}"
    )
    for row in levels:
        same, different = (_number(row[key]) for key in ("gap_same_max", "gap_different_min"))
        print(
            f"{row['h']:>4} {row['paths']:>6} {row['states_true']:>7} {row['bayes_cross_entropy']:>11.4f} "
            f"{same:>9} {different:>14} {row['threshold']:>10.4f}"
        )
    print(f"optimal value {best:.4g}")


def _show(options: dict[str, Any]) -> None:
    out = Path(options.pop("out"))
    config = _config(options)
    if out.suffix.lower() != ".png":
        raise ValueError(f"out: {str(out)!r} is not the name of a picture; it must end in .png")

    from ppe_core.experiments.observations import observation_picture

    picture = observation_picture(config)
    try:
        picture.save(out)
    except OSError as error:
        raise ValueError(f"out: cannot write {str(out)!r}: {error.strerror or error}") from None
    print(f"{out}: {picture.width} × {picture.height} pixels")


def _envs(options: dict[str, Any]) -> None:
    from ppe_core.envs.gymnasium_adapter import GYMNASIUM_IDS
    from ppe_core.envs.registry import DESCRIPTIONS

    for name, settings in ENVIRONMENTS.items():
        print(f"{name}: {DESCRIPTIONS[name]}; in Gymnasium {GYMNASIUM_IDS[name]}")
        for item in option_fields(settings):
            print(f"  {_flag(item.name):<16} {_describe(item)}")


class _Progress:
    """A bar on stderr, a tick a finished level, when stderr is a terminal."""

    def __init__(self, config: RunConfig) -> None:
        from tqdm import tqdm

        columns, lines = shutil.get_terminal_size()  # left to itself, tqdm is mute where the size is unknown
        self._bar = tqdm(total=config.horizon, unit="level", leave=False, disable=None, ncols=columns, nrows=lines)

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()

    def __call__(self, event: Any) -> None:
        from ppe_core.experiments.events import EpochDone

        if isinstance(event, EpochDone):
            self._bar.set_postfix_str(f"held-out loss {event.held_out_loss:.3f}", refresh=False)
        else:
            self._bar.update()


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="ppe_core", description="Predictive Path Elimination without a browser.", allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    for name, command, help in (
        ("run", _run, "run a config and say what was recovered"),
        ("exact", _exact, "the exact quantities, no training"),
        ("show", _show, "sampled observations as a picture"),
        ("envs", _envs, "what --env accepts"),
    ):
        sub = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
        sub.set_defaults(command=command)
        if command is not _envs:
            _add_config_flags(sub)
        if command is _show:
            sub.add_argument("--out", metavar="FILE", required=True, help="where to save it, as a .png")
        elif command is not _envs:
            sub.add_argument("--json", action="store_true", help="print one JSON object on stdout")
    return parser


def _add_config_flags(parser: argparse.ArgumentParser) -> None:
    """A flag for every config field; values stay text here, the config checks them."""
    parser.add_argument("--env", metavar="NAME", help=f"one of {', '.join(ENVIRONMENTS)}")
    parser.add_argument("--learner", metavar="NAME", help=f"one of {', '.join(LEARNERS)}")
    for item in all_option_fields():
        switch: dict[str, Any] = {"nargs": "?", "const": True} if item.type is bool else {}
        parser.add_argument(_flag(item.name), metavar="X", help=_describe(item).replace("%", "%%"), **switch)


def _config(options: dict[str, Any]) -> RunConfig:
    return RunConfig.from_flat({name: value for name, value in options.items() if value is not None})


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _describe(item: Any) -> str:
    default = {True: "on", False: "off"}[item.default] if item.type is bool else item.default
    return f"{item.metadata['help']} ({item.metadata['allowed']}; default {default})"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


if __name__ == "__main__":
    sys.exit(main())
