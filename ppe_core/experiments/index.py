"""The index of the store, in SQLite: what is queued, running and done, and who answers for it.

The folders of the runs hold the results; the index only knows about them, and is made anew from
them when it is lost. It is written by processes of one machine (a write-ahead log needs that),
never by workers. Every change is one short transaction, so processes hardly wait for each other.
"""

import json
import os
import socket
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from ppe_core.config import RunConfig
from ppe_core.experiments.errors import Unusable

MIGRATIONS = (
    """
    CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        config TEXT NOT NULL,
        status TEXT NOT NULL,
        owner TEXT,
        visitor TEXT,
        created REAL NOT NULL,
        ended REAL,
        seconds REAL,
        bytes INTEGER NOT NULL DEFAULT 0,
        pinned INTEGER NOT NULL DEFAULT 0,
        message TEXT,
        summary TEXT
    );
    CREATE INDEX runs_by_status ON runs (status, ended);
    CREATE TABLE owners (id TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, seen REAL NOT NULL);
    """,
    "CREATE TABLE studies (id TEXT PRIMARY KEY, definition TEXT NOT NULL, created REAL NOT NULL);",
)
"""Step k brings an index from version k to k + 1. Steps are only ever added."""

BUSY_SECONDS = 10  # to wait for another process's transaction, which takes milliseconds
SILENT_SECONDS = 15  # after which an owner that was not seen counts as dead


class StoreError(Unusable):
    """The store cannot do what is asked of it."""


class Status(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"  # by a person, or with the process that ran it; it can be resumed


UNDER_WAY = (Status.QUEUED, Status.RUNNING)
_IS_UNDER_WAY = "status IN ('queued', 'running')"
_HAS_OWNER = "owner IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True)
class Row:
    """One run, as the index knows it."""

    id: str
    config: dict[str, Any]
    status: Status
    owner: str | None  # the process that answers for it while it is under way
    visitor: str | None  # the person who started it; None: not through the page
    created: float  # seconds since 1970
    ended: float | None
    seconds: float | None  # spent computing
    bytes: int
    pinned: bool
    message: str | None  # why it failed
    summary_json: str | None

    @cached_property
    def summary(self) -> dict[str, Any] | None:
        """The record in short, once it is done."""
        return json.loads(self.summary_json) if self.summary_json else None


_COLUMNS = ", ".join(Row.__dataclass_fields__).replace("summary_json", "summary")


class Index:
    def __init__(self, file: Path) -> None:
        """Open the index, bringing an older one up to date; without the right to write, only to read."""
        self.read_only = False
        self.owner = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._file = file
        self._lock = threading.RLock()
        self._connection = self._open()

    def row(self, run_id: str) -> Row | None:
        return next(iter(self.rows("id = ?", run_id)), None)

    def rows(self, where: str = "1", *values: Any, limit: int = -1) -> list[Row]:
        """Runs that fulfil a condition, the newest first."""
        with self._lock:
            found = self._connection.execute(
                f"SELECT {_COLUMNS} FROM runs WHERE {where} ORDER BY created DESC, rowid DESC LIMIT ?", (*values, limit)
            )
            return [_row(values) for values in found]

    def claim(self, configs: Sequence[RunConfig], visitor: str | None) -> list[RunConfig]:
        """Queue runs that nobody else answers for; those that are ours now."""
        with self._change() as connection:
            self._note_alive(connection)
            others = json.dumps([owner for owner in self._living(connection) if owner != self.owner])
            ours = []
            for config in configs:
                cursor = connection.execute(
                    f"""INSERT INTO runs (id, config, status, owner, visitor, created) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET status = excluded.status, owner = excluded.owner,
                        visitor = excluded.visitor, created = excluded.created, ended = NULL, message = NULL
                    WHERE NOT ({_IS_UNDER_WAY} AND {_HAS_OWNER})""",
                    (config.id, config.canonical_json, Status.QUEUED, self.owner, visitor, time.time(), others),
                )
                if cursor.rowcount:
                    ours.append(config)
        return ours

    def set_running(self, run_id: str) -> None:
        with self._change() as connection:
            connection.execute("UPDATE runs SET status = ? WHERE id = ?", (Status.RUNNING, run_id))

    def set_unfinished(self, run_id: str, status: Status, message: str | None, size: int) -> None:
        """Note a run that failed or was stopped, and the bytes that its finished levels take."""
        with self._change() as connection:
            connection.execute(
                "UPDATE runs SET status = ?, message = ?, ended = ?, bytes = ? WHERE id = ?",
                (status, message, time.time(), size, run_id),
            )

    def set_done(self, config: RunConfig, summary: dict[str, Any], size: int) -> None:
        """Note a finished run, whether it was known or not."""
        now = time.time()
        with self._change() as connection:
            connection.execute(
                """INSERT INTO runs (id, config, status, created, ended, seconds, bytes, summary)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET status = excluded.status, ended = excluded.ended, message = NULL,
                    seconds = excluded.seconds, bytes = excluded.bytes, summary = excluded.summary""",
                (config.id, config.canonical_json, Status.DONE, now, now, summary["seconds"]["total"], size,
                 json.dumps(summary)),
            )  # fmt: skip

    def pin(self, run_id: str, pinned: bool) -> None:
        with self._change() as connection:
            connection.execute("UPDATE runs SET pinned = ? WHERE id = ?", (pinned, run_id))

    def forget(self, run_ids: Iterable[str]) -> None:
        with self._change() as connection:
            connection.executemany("DELETE FROM runs WHERE id = ?", [(run_id,) for run_id in run_ids])

    def statuses(self, run_ids: Iterable[str]) -> dict[str, Status]:
        """Where runs stand; one whose process is gone is stopped, one that was never started is left out."""
        with self._lock:
            living = self._living(self._connection)
            rows = self._connection.execute(
                "SELECT id, status, owner FROM runs WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(run_ids)),),
            ).fetchall()
        return {
            run_id: Status.STOPPED if status in UNDER_WAY and owner not in living else Status(status)
            for run_id, status, owner in rows
        }

    def abandoned(self) -> list[Row]:
        """Runs under way whose process is gone."""
        with self._lock:
            living = json.dumps(self._living(self._connection))
        return self.rows(f"{_IS_UNDER_WAY} AND NOT {_HAS_OWNER}", living)

    def beat(self) -> None:
        """Say that this process is alive."""
        with self._change() as connection:
            self._note_alive(connection)

    def save_study(self, study_id: str, definition: str) -> None:
        with self._change() as connection:
            connection.execute("INSERT OR IGNORE INTO studies VALUES (?, ?, ?)", (study_id, definition, time.time()))

    def study(self, study_id: str) -> str | None:
        with self._lock:
            found = self._connection.execute("SELECT definition FROM studies WHERE id = ?", (study_id,)).fetchone()
        return found[0] if found else None

    def studies(self, limit: int) -> list[tuple[str, str, float]]:
        """Id, definition and time of the newest studies."""
        with self._lock:
            return self._connection.execute("SELECT * FROM studies ORDER BY created DESC LIMIT ?", (limit,)).fetchall()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _note_alive(self, connection: sqlite3.Connection) -> None:
        now = time.time()
        connection.execute("DELETE FROM owners WHERE seen < ?", (now - SILENT_SECONDS,))
        connection.execute(
            "INSERT INTO owners VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET seen = excluded.seen",
            (self.owner, socket.gethostname(), os.getpid(), now),
        )

    def _living(self, connection: sqlite3.Connection) -> list[str]:
        """Owners that were seen of late and whose process, if it is on this machine, is there."""
        here, latest = socket.gethostname(), time.time() - SILENT_SECONDS
        rows = connection.execute("SELECT id, host, pid FROM owners WHERE seen >= ?", (latest,)).fetchall()
        return [owner for owner, host, pid in rows if host != here or _is_process(pid)]

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the right to write from its beginning."""
        with self._lock:
            if self.read_only:
                raise StoreError(f"the store {self._file.parent} can only be read: nothing new can be kept there")
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise StoreError(f"the store {self._file.parent} cannot be written: {error}") from error
                raise

    def _open(self) -> sqlite3.Connection:
        folder = self._file.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"PPE_HOME: {folder} cannot be made a folder: {error.strerror}") from error
        if not _is_writable(folder):
            return self._open_to_read()
        try:
            connection = _connect(str(self._file))
            self._migrate(connection)
        except sqlite3.OperationalError as error:
            raise StoreError(f"the store {folder} cannot be used: {error}") from error
        return connection

    def _open_to_read(self) -> sqlite3.Connection:
        self.read_only = True
        if self._file.exists():
            connection = _connect(f"file:{self._file}?mode=ro&immutable=1")
            self._check_version(connection)
        else:
            connection = _connect(":memory:")
            self._migrate(connection)
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        if self._check_version(connection) == len(MIGRATIONS):
            return
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")  # only one process brings it up to date
        for step in MIGRATIONS[self._check_version(connection) :]:
            for statement in filter(str.strip, step.split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")

    def _check_version(self, connection: sqlite3.Connection) -> int:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(MIGRATIONS):
            raise StoreError(
                f"the store {self._file.parent} was written by a newer version of PPE Lab (schema {version}; "
                f"this one knows {len(MIGRATIONS)}): update PPE Lab, or set PPE_HOME to another folder"
            )
        return version


def _connect(name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        name, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=name.startswith("file:")
    )
    connection.execute("PRAGMA synchronous = NORMAL")  # safe with a write-ahead log, and no wait for the disk
    return connection


def _row(values: Sequence[Any]) -> Row:
    named = dict(zip(Row.__dataclass_fields__, values))
    named |= {"config": json.loads(named["config"]), "status": Status(named["status"]), "pinned": bool(named["pinned"])}
    return Row(**named)


def _is_process(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _is_writable(folder: Path) -> bool:
    probe = folder / f".probe-{os.getpid()}"
    try:
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True
