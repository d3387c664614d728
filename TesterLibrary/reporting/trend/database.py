# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The database of runs: the figures of each run, and the alarms on them, in a DuckDB file or on a server.

A change is made whole or not at all, so a full disk or a killed command leaves it as it was. The statements
are what DuckDB and PostgreSQL have in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...errors import TesterLibraryError
from ...model.units.number import counted
from ...model.units.units import Ratio
from .address import Address
from .figure import Figure, Key, Point, Run
from .judge import OPEN, Alarm, State, Step, judge
from .level import Method
from .store import Row, Store, open_store

SCHEMA = 1
_JUDGED = 200  # values of a fit tester that the judge may look back on
_AT_ONCE = 500  # rows of a statement
_TABLES = """
create table meta (schema integer not null);
create table runs (
    id text primary key, started_at timestamp not null, title text not null, outcome text not null,
    digest text not null
);
create table figures (
    id integer primary key, testbed text not null, device_kind text not null, profile text not null,
    suite text not null, test text not null, subject text not null, number integer not null,
    unit text not null, size integer, higher_is_better boolean, judged_at timestamp
);
create table points (
    figure integer not null, run text not null, taken_at timestamp not null, least float8, most float8,
    outcome text not null, reason text not null, device text not null, version text not null,
    tester text not null, fit boolean not null
);
create table alarms (
    figure integer not null, number integer not null, before float8 not null, threshold float8 not null,
    since timestamp not null
);
create table steps (
    figure integer not null, alarm integer not null, number integer not null, state text not null,
    taken_at timestamp not null, run text not null, value float8, note text not null
);
"""
_COPIED = ("runs", "figures", "points", "alarms", "steps")
_NAMES = "select table_name from information_schema.tables where table_schema = current_schema()"
_KEY = ", ".join(field.name for field in fields(Key))
TOLERANCE = Ratio.parse("1 %")  # the part of a value up to which a change is none, unless someone says
_POINT = "run, taken_at, least, most, outcome, reason, device, version, tester"


class Added(Enum):
    """The outcome of giving a run to the database."""

    NEW = "added"
    KNOWN = "there already"
    CHANGED = "replaced, because its record has changed"


@dataclass(frozen=True)
class Series:
    """A figure with its values in the order of time, and its alarms."""

    id: int
    key: Key
    higher_is_better: bool | None
    points: tuple[Point, ...]
    alarms: tuple[Alarm, ...]

    @property
    def open_alarm(self) -> Alarm | None:
        """The newest alarm that has neither recovered nor been accepted."""
        return next((alarm for alarm in reversed(self.alarms) if alarm.state in OPEN), None)


class Database:
    """The tables, open. Made by `open_database`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, run: Run, tolerance: float, method: Method = Method.JUMPAVG) -> Added:
        """Puts the figures of a run in, and judges those that are newer than all before.

        A run that is there already changes nothing.
        """
        digest = sha256(repr(run).encode()).hexdigest()
        with self._whole():
            known = self._rows("select digest from runs where id = ?", [run.id])
            if known == [(digest,)]:
                return Added.KNOWN
            self._do("delete from points where run = ?", [run.id])
            self._do("delete from runs where id = ?", [run.id])
            self._insert("runs", [(run.id, run.started_at, run.title, run.outcome, digest)])
            ids = self._figure_ids(run.figures)
            rows = [(ids[f.key], *astuple(f.point), f.point.fit) for f in run.figures]
            self._insert("points", rows)
            self._judge(run, ids, tolerance, method)
        return Added.CHANGED if known else Added.NEW

    def runs(self) -> tuple[tuple[str, datetime], ...]:
        """All runs with their times, the oldest first."""
        return tuple((str(r), t) for r, t in self._rows("select id, started_at from runs order by 2, 1"))

    def copy_to(self, other: Database) -> int:
        """Makes another database the same as this one; it may have an earlier state of it. Returns the runs.

        Raises:
            TesterLibraryError: it has runs, or steps of alarms, that this one has not. Nothing is changed.
        """
        with self._whole(self._store.begin_read), other._whole():
            tables = {name: self._rows(f"select * from {name}") for name in _COPIED}
            _check_earlier(tables, {name: other._rows(f"select * from {name}") for name in ("runs", "steps")})
            for name in reversed(_COPIED):
                other._do(f"delete from {name}")
            for name, rows in tables.items():
                other._insert(name, rows)
        return len(tables["runs"])

    def series(
        self, *, testbed: str = "", version: str = "", test: str = "", size: int = 0
    ) -> tuple[Series, ...]:
        """The figures with their values; only those of a testbed, device version, test or frame size.

        `test` is a part of the name of the suite or the test.
        """
        with self._whole(self._store.begin_read):
            chosen = [
                row
                for row in self._rows(f"select id, higher_is_better, size, {_KEY} from figures order by id")
                if testbed in ("", row[3])
                and (not size or row[2] == size)
                and test.casefold() in f"{row[6]}.{row[7]}".casefold()
            ]
            ids = [row[0] for row in chosen]
            points, alarms = self._points(ids), self._alarms(ids)
        if version:
            points = {id_: [p for p in of if p.version == version] for id_, of in points.items()}
        return tuple(
            Series(row[0], Key(*row[3:]), row[1], tuple(points[row[0]]), tuple(alarms.get(row[0], ())))
            for row in chosen
            if points.get(row[0])
        )

    def accept(self, figure: int, at: datetime, because: str) -> Alarm:
        """Takes the level of an open alarm for the usual one from now on.

        Raises:
            TesterLibraryError: the figure has no open alarm.
        """
        with self._whole():
            alarms = self._alarms([figure]).get(figure, [])
            if not alarms or alarms[-1].state not in OPEN:
                raise TesterLibraryError(
                    f"figure {figure} has no open alarm; `tester trend` prints the numbers"
                )
            accepted = alarms[-1].then(Step(State.ACCEPTED, at, "", None, because))
            row = self._step_row(figure, len(alarms), len(accepted.steps), accepted.steps[-1])
            self._insert("steps", [row])
        return accepted

    def _figure_ids(self, figures: Sequence[Figure]) -> Mapping[Key, int]:
        """The numbers of figures; those that are new are put in."""
        ids = {Key(*row[1:]): row[0] for row in self._rows(f"select id, {_KEY} from figures")}
        fresh: dict[Key, tuple[Any, ...]] = {}
        for figure in figures:
            if figure.key not in ids:
                ids[figure.key] = len(ids) + 1
                key = figure.key
                fresh[key] = (ids[key], *astuple(key), key.size, figure.higher_is_better, None)
        self._insert("figures", list(fresh.values()))
        return ids

    def _judge(self, run: Run, ids: Mapping[Key, int], tolerance: float, method: Method) -> None:
        fit = {ids[figure.key]: figure for figure in run.figures if figure.point.fit}
        judged: dict[int, Any] = dict(self._rows("select id, judged_at from figures"))
        newer = [id_ for id_, f in fit.items() if judged[id_] is None or judged[id_] < f.point.at]
        points, alarms = self._points(newer, fit_alone=True), self._alarms(newer)
        for id_ in newer:
            before = tuple(alarms.get(id_, ()))
            after = judge(points[id_], before, fit[id_].higher_is_better, tolerance, method)
            self._keep(id_, before, after)
        self._do(
            "update figures set judged_at = n.newest from (select figure, max(taken_at) as newest "
            "from points where fit and run = ? group by figure) n "
            "where figures.id = n.figure and (judged_at is null or judged_at < n.newest)",
            [run.id],
        )

    def _keep(self, figure: int, before: Sequence[Alarm], after: Sequence[Alarm]) -> None:
        """Puts in what the judge has added. Nothing that was there is changed."""
        for number, alarm in enumerate(after, 1):
            known = before[number - 1].steps if number <= len(before) else ()
            if not known:
                self._insert("alarms", [(figure, number, alarm.before, alarm.threshold, alarm.since)])
            fresh = alarm.steps[len(known) :]
            self._insert(
                "steps",
                [self._step_row(figure, number, n, step) for n, step in enumerate(fresh, len(known) + 1)],
            )

    @staticmethod
    def _step_row(figure: int, alarm: int, number: int, step: Step) -> tuple[Any, ...]:
        return (figure, alarm, number, step.state.value, step.at, step.run, step.value, step.note)

    def _points(self, figures: Sequence[int], *, fit_alone: bool = False) -> dict[int, list[Point]]:
        found: dict[int, list[Point]] = {figure: [] for figure in figures}
        asked = f"select figure, {_POINT} from points where figure = any(?)"
        if fit_alone:
            place = "row_number() over (partition by figure order by taken_at desc) as place"
            asked = f"select * from (select figure, {_POINT}, {place} from points "
            asked += f"where figure = any(?) and fit) newest where place <= {_JUDGED}"
            asked = f"select figure, {_POINT} from ({asked}) judged"
        rows = self._rows(f"{asked} order by figure, taken_at, run", [list(figures)])
        for figure, *values in rows:
            found[figure].append(Point(*values))
        return found

    def _alarms(self, figures: Sequence[int]) -> dict[int, list[Alarm]]:
        found: dict[int, list[Alarm]] = {}
        steps: dict[tuple[int, int], list[Step]] = {}
        for figure, number, state, *rest in self._rows(
            "select figure, alarm, state, taken_at, run, value, note from steps "
            "where figure = any(?) order by figure, alarm, number",
            [list(figures)],
        ):
            steps.setdefault((figure, number), []).append(Step(State(state), *rest))
        for figure, number, *rest in self._rows(
            "select figure, number, before, threshold, since from alarms where figure = any(?) "
            "order by figure, number",
            [list(figures)],
        ):
            before, threshold, since = rest
            alarm = Alarm(before, threshold, since, tuple(steps[figure, number]))
            found.setdefault(figure, []).append(alarm)
        return found

    def _insert(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        for first in range(0, len(rows), _AT_ONCE):
            part = rows[first : first + _AT_ONCE]
            row = f"({', '.join('?' * len(part[0]))})"
            values = [value for each in part for value in each]
            self._do(f"insert into {table} values {', '.join([row] * len(part))}", values)

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return self._store.execute(statement, values)

    def _do(self, statement: str, values: Sequence[Any] = ()) -> None:
        self._store.execute(statement, values)

    @contextmanager
    def _whole(self, *begin: str) -> Iterator[None]:
        """Everything that is done within, or nothing of it; no other writer in between."""
        for statement in begin or self._store.begin_write:
            self._do(statement)
        try:
            yield
            self._do("commit")
        except BaseException:
            # A transaction that has failed to commit, or lost its server, is over already.
            with suppress(Exception):
                self._do("rollback")
            raise

    def check(self, name: str, *, make: bool) -> None:
        """Makes the tables where there are none yet, and refuses tables that are not this library's.

        Raises:
            TesterLibraryError: they are others, or those of another version of the library.
        """
        with self._whole(*(() if make else (self._store.begin_read,))):
            tables = {table for (table,) in self._rows(_NAMES)}
            if not tables and make:
                self._do(_TABLES)
                self._insert("meta", [(SCHEMA,)])
                return
            if not tables:
                raise TesterLibraryError(f"there are no runs in {name} yet; `tester trend RECORD` adds some")
            if "meta" not in tables:
                raise TesterLibraryError(f"{name} is a {self._store.kind}, but no database of runs")
            found = self._rows("select * from meta")
        if found != [(SCHEMA,)]:
            version = found[0][0] if found else "none"
            raise TesterLibraryError(
                f"the database {name} has schema {version}, and this version reads {SCHEMA}; use the "
                "version of the library that wrote it, or another database"
            )


def _check_earlier(tables: Mapping[str, Sequence[Row]], theirs: Mapping[str, Sequence[Row]]) -> None:
    """Refuses to copy tables over those that know more."""
    runs = {row[0] for row in theirs["runs"]} - {row[0] for row in tables["runs"]}
    if runs:
        raise TesterLibraryError(
            f"it has {counted(len(runs), 'run')} that the copied database has not, such as {min(runs)}: a "
            "copy goes into a new database, or into one with an earlier state of the same. Add the runs to "
            "one of them by `tester trend RECORD`"
        )
    if theirs["steps"] and not {row[3:] for row in theirs["steps"]} <= {row[3:] for row in tables["steps"]}:
        raise TesterLibraryError(
            "it has alarms, or steps of alarms, that the copied database has not; a published alarm is never "
            "withdrawn. Copy the other way round"
        )


@contextmanager
def open_database(where: str | Path, *, make: bool = True) -> Iterator[Database]:
    """Opens the database of runs; makes it where there is none.

    Args:
        where: The path of a DuckDB file, or the URL of a PostgreSQL database.
        make: Whether it may be made and changed; it is only read if not.

    Raises:
        TesterLibraryError: a package is not installed; it is no such database, of a newer version, cannot be
            reached or written, or another writer does not finish.
    """
    address = Address.parse(where)
    with open_store(address, make=make) as store:
        database = Database(store)
        database.check(str(address), make=make)
        yield database
