"""A run in forms that others can take away."""

import csv
import io
import json
from pprint import pformat

from ppe_core.config import RunConfig
from ppe_core.experiments.records import RunRecord


def config_json(config: RunConfig) -> str:
    return json.dumps(config.flat(), indent=2) + "\n"


def levels_csv(record: RunRecord) -> str:
    rows = [level.summary() for level in record.levels]
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def python_snippet(config: RunConfig) -> str:
    """A program that repeats the run and prints its summary."""
    return f"""import json

from ppe_core.config import RunConfig
from ppe_core.experiments.run import run

config = RunConfig.from_flat({pformat(config.flat(), sort_dicts=False)})
print(json.dumps(run(config).summary()))
"""
