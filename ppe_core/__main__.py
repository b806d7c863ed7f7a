"""The engine without a browser: `python -m ppe_core --help`."""

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from ppe_core.config import ENVIRONMENTS, LEARNERS, RunConfig, Settings, all_option_fields, option_fields
from ppe_core.experiments.errors import Unusable

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
    except Unusable as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
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
        paths, wrong, missed = ("-" if level[key] is None else level[key] for key in ("paths", "type1", "type2"))
        print(
            f"{level['h']:>4} {paths:>6} {level['states_true']:>7} {level['states_found']:>6} "
            f"{wrong:>6} {missed:>7} {level['decoding_accuracy']:>9.1%}"
        )
    if summary["type1"] is not None:
        print(f"{summary['type1']} wrong merges (type 1), {summary['type2']} missed merges (type 2), ", end="")
    print(
        f"plan worth {summary['value']:.3g} of {summary['optimal_value']:.3g}, "
        f"{summary['episodes']:,} episodes, {summary['seconds']['total']:.2f} s, run {config.id}"
    )
    if record.stopped:
        print(f"stopped: {record.stopped}")


def _exact(options: dict[str, Any]) -> None:
    as_json = options.pop("json")
    config = _config(options)

    from ppe_core.envs.registry import make_environment
    from ppe_core.theory.oracle import exact_levels, optimal_value

    environment = make_environment(config)
    levels = []
    for level in exact_levels(
        environment.endogenous, config.horizon, config.learner.threshold, config.learner.max_paths
    ):
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
    best = optimal_value(environment.decision_process, config.horizon)
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


def _psdp(options: dict[str, Any]) -> None:
    as_json, samples = options.pop("json"), options.pop("psdp_samples")
    config = _config(options)

    from ppe_core.experiments.psdp import PSDPSettings, plan_by_psdp, require_ppe
    from ppe_core.experiments.run import run

    require_ppe(config)
    settings = PSDPSettings() if samples is None else PSDPSettings(samples)
    with _Progress(config) as progress:
        record = run(config, progress)
    summary = plan_by_psdp(record, settings).summary()
    if as_json:
        print(json.dumps(summary))
        return
    print(
        f"PSDP's policy is worth {summary['value']:.3g} of {summary['optimal_value']:.3g}, value iteration's plan "
        f"{summary['plan_value']:.3g}; {summary['psdp_episodes']:,} episodes after PPE's "
        f"{summary['ppe_episodes']:,}, {summary['seconds']:.2f} s, run {config.id}"
    )


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


def _study(options: dict[str, Any]) -> None:
    """Run what the store does not have yet, and write the table of all that is finished, even after Ctrl-C."""
    out, workers = Path(options.pop("out")), options.pop("workers")
    if out.suffix.lower() not in (".csv", ".json"):
        raise ValueError(f"out: {str(out)!r} must end in .csv or .json")

    from ppe_core.experiments import study as studies
    from ppe_core.experiments.store import Store, default_home

    study = studies.Study.from_json(_read_text("study", options.pop("study")))
    store = Store(default_home())
    _run_missing(store, study.configs(), workers, lambda: _write_study(out, study, store.summaries(study.configs())))


def _reproduce(options: dict[str, Any]) -> None:
    """Run what the store does not have yet, and say how the paper's claims fare, even after Ctrl-C."""
    from ppe_core.experiments.paper import reproduce
    from ppe_core.experiments.paper.results import COMMITTED
    from ppe_core.experiments.store import Store, default_home

    names, scale = reproduce.figures_named(options["figure"]), reproduce.checked_scale(options["scale"])
    folder = Path(options["out"] or COMMITTED) if options["out"] or scale == "full" else None
    configs = reproduce.configs(names, scale)
    if options["missing"]:
        configs = reproduce.lacking(names, scale, folder or COMMITTED)
    store = Store(default_home())

    def keep() -> None:
        found = reproduce.gather(names, scale, store)
        if folder:
            reproduce.keep(found, folder)
        print("\n".join(reproduce.in_words(found)))

    _run_missing(store, configs, options["workers"], keep)


def _run_missing(store: Any, configs: list[RunConfig], workers: str | None, keep: Callable[[], None]) -> None:
    """Run what is not stored yet, the longest first; keep what is done, even after Ctrl-C."""
    from ppe_core.experiments.jobs import Jobs
    from ppe_core.experiments.workers import EmbeddedPool, default_pool, worker_count

    stored = store.summaries(configs)
    missing = [config for config in configs if stored(config) is None]
    print(f"{len(configs)} runs, {len(configs) - len(missing)} of them stored already", file=sys.stderr)
    if not missing:
        keep()
        return
    jobs = Jobs(store, EmbeddedPool(worker_count("workers", workers)) if workers else default_pool())
    try:
        _run_all(jobs, sorted(missing, key=jobs.estimate, reverse=True))
    finally:
        jobs.close()
        keep()
    failed = [config for config in missing if jobs.status(config) != "done"]
    if failed:
        raise Unusable(f"{len(failed)} runs failed, the first of them {failed[0].id}: {jobs.failure(failed[0])}")


def _run_all(jobs: Any, configs: list[RunConfig]) -> None:
    from ppe_core.experiments.estimate import in_words

    bar = _bar(len(configs), "run")
    print(f"{len(configs)} runs will take {in_words(jobs.estimate_all(configs))}", file=sys.stderr)

    def update(left: int) -> None:
        if done := len(configs) - left - bar.n:
            statuses = jobs.statuses(configs)
            waiting = [config for config in configs if statuses.get(config.id) != "done"]
            bar.set_postfix_str(f"{in_words(jobs.estimate_all(waiting))} left", refresh=False)
            bar.update(done)

    try:
        jobs.submit(configs)
        jobs.wait(configs, update)
    except KeyboardInterrupt:
        bar.close()
        print(
            f"stopped: {bar.n} of {len(configs)} runs are done and kept; the same call does the rest", file=sys.stderr
        )
        raise
    finally:
        bar.close()


def _write_study(out: Path, study: Any, summaries: Any) -> None:
    """As JSON all in one; as CSV the rows, and a file beside it with the summary over seeds."""
    from ppe_core.experiments import study as studies

    files = {out: studies.as_json(study, summaries)}
    if out.suffix.lower() == ".csv":
        files = {
            out: studies.as_csv(studies.table(study, summaries)),
            out.with_suffix(".summary.csv"): studies.as_csv(studies.summary_table(study, summaries)),
        }
    for file, text in files.items():
        try:
            file.write_text(text)
        except OSError as error:
            raise ValueError(f"out: cannot write {str(file)!r}: {error.strerror or error}") from None
        print(f"{file}: {text.count(chr(10))} lines", file=sys.stderr)


def _runs(options: dict[str, Any]) -> None:
    from datetime import datetime

    from ppe_core.experiments.store import Store, Upkeep, default_home

    store = Store(default_home())
    for pinned, run_id in ((True, options["pin"]), (False, options["unpin"])):
        if run_id is not None and store.index.row(run_id) is None:
            raise ValueError(f"{'pin' if pinned else 'unpin'}: {run_id!r} is not the id of a stored run")
        if run_id is not None:
            store.index.pin(run_id, pinned)
    if options["prune"]:
        gone = store.prune(Upkeep.from_environment())
        print(f"{len(gone)} runs removed, {sum(row.bytes for row in gone) / 1e6:.1f} MB")
        return
    for row in store.index.rows():
        date = datetime.fromtimestamp(row.created).isoformat(" ", "minutes")
        spent = "" if row.seconds is None else f"{row.seconds:.2f} s"
        settings = " ".join(f"{name}={row.config[name]}" for name in ("horizon", "samples", "seed"))
        print(f"{row.id}  {row.status:<8} {date}  {spent:>9}  {settings}{'  pinned' if row.pinned else ''}")


def _envs(options: dict[str, Any]) -> None:
    from ppe_core.envs.gymnasium_adapter import GYMNASIUM_IDS
    from ppe_core.envs.registry import DESCRIPTIONS

    for name, settings in ENVIRONMENTS.items():
        print(f"{name}: {DESCRIPTIONS[name]}; in Gymnasium {GYMNASIUM_IDS[name]}")
        for item in option_fields(settings):
            print(f"  {_flag(item.name):<16} {_describe(item)}")


class _Progress:
    """A bar on stderr, a tick a finished level."""

    def __init__(self, config: RunConfig) -> None:
        self._bar = _bar(config.horizon, "level")

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()

    def __call__(self, event: Any) -> None:
        from ppe_core.experiments.events import EpochDone, LevelDone

        if isinstance(event, LevelDone):
            self._bar.update()
        elif isinstance(event, EpochDone):
            self._bar.set_postfix_str(f"held-out loss {event.held_out_loss:.3f}", refresh=False)
        else:
            self._bar.set_postfix_str(f"{event.episodes:,} episodes", refresh=True)


def _bar(total: int, unit: str) -> Any:
    """A progress bar, when stderr is a terminal."""
    from tqdm import tqdm

    columns, lines = shutil.get_terminal_size()  # left to itself, tqdm is mute where the size is unknown
    return tqdm(total=total, unit=unit, leave=False, disable=None, ncols=columns, nrows=lines)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="ppe_core", description="Predictive Path Elimination without a browser.", allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    subs = {}
    for name, command, help in (
        ("run", _run, "run a config and say what was recovered"),
        ("exact", _exact, "the exact quantities, no training"),
        ("psdp", _psdp, "run PPE, then plan with its cover for a reward that may be exogenous"),
        ("show", _show, "sampled observations as a picture"),
        ("study", _study, "a grid of configs and seeds, into one table"),
        ("reproduce", _reproduce, "a figure of the paper, and what it says of the paper's claims"),
        ("runs", _runs, "what is stored"),
        ("envs", _envs, "what --env accepts"),
    ):
        subs[name] = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
        subs[name].set_defaults(command=command)
    for name in ("run", "exact", "psdp", "show"):
        _add_config_flags(subs[name])
    subs["psdp"].add_argument("--psdp-samples", metavar="X", help="episodes of PSDP at each time step (default 2000)")
    for name in ("run", "exact", "psdp"):
        subs[name].add_argument("--json", action="store_true", help="print one JSON object on stdout")
    subs["show"].add_argument("--out", metavar="FILE", required=True, help="where to save it, as a .png")
    subs["study"].add_argument("study", metavar="STUDY.json", help="base, axes and seeds")
    subs["study"].add_argument("--out", metavar="FILE", required=True, help="the table, as .csv or .json")
    for name in ("study", "reproduce"):
        subs[name].add_argument("--workers", metavar="X", help="worker processes (default: one a core)")
    subs["reproduce"].add_argument("figure", metavar="FIGURE", help="fig2a, fig2b, fig2c, fig3ab, fig3c, fig3d or all")
    subs["reproduce"].add_argument("--scale", metavar="X", default="quick", help="quick (default) or full")
    subs["reproduce"].add_argument("--missing", action="store_true", help="only runs that the results written lack")
    subs["reproduce"].add_argument(
        "--out", metavar="FOLDER", help="where to write results (default: results/paper at full scale, else nowhere)"
    )
    subs["runs"].add_argument("--pin", metavar="ID", help="keep a run whatever its age and size")
    subs["runs"].add_argument("--unpin", metavar="ID", help="no longer")
    subs["runs"].add_argument("--prune", action="store_true", help="remove what is over PPE_STORE_MEGABYTES or _DAYS")
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


def _read_text(name: str, file: str) -> str:
    try:
        return Path(file).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{name}: cannot read {file!r}: {getattr(error, 'strerror', None) or error}") from None


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _describe(item: Any) -> str:
    parts: list[type[Settings]] = [RunConfig, *ENVIRONMENTS.values(), *LEARNERS.values()]
    defaults = {f.default for part in parts for f in option_fields(part) if f.name == item.name}
    default = {True: "on", False: "off"}[item.default] if item.type is bool else item.default
    if len(defaults) > 1:
        default = "that of the learner"
    return f"{item.metadata['help']} ({item.metadata['allowed']}; default {default})"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


if __name__ == "__main__":
    sys.exit(main())
