# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The database of runs: one DuckDB file with the figures of each run, and the alarms on them.

A change is made whole or not at all, so a full disk or a killed command leaves the file as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import TesterLibraryError
from ...model.units import Ratio
from .figure import Figure, Key, Point, Run
from .judge import OPEN, Alarm, State, Step, judge

if TYPE_CHECKING:
    import duckdb

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
    figure integer not null, run text not null, taken_at timestamp not null, least double, most double,
    outcome text not null, reason text not null, device text not null, version text not null,
    tester text not null, fit boolean not null
);
create table alarms (
    figure integer not null, number integer not null, before double not null, threshold double not null,
    since timestamp not null
);
create table steps (
    figure integer not null, alarm integer not null, number integer not null, state text not null,
    taken_at timestamp not null, run text not null, value double, note text not null
);
"""
_KEY = ", ".join(field.name for field in fields(Key))
TOLERANCE = Ratio.parse("1 %")  # the part of a value up to which a change is none, unless someone says
_POINT = "run, taken_at, least, most, outcome, reason, device, version, tester"


class Added(Enum):
    """What became of a run that was given to the database."""

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
    """The file, open. Made by `open_database`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def add(self, run: Run, tolerance: float) -> Added:
        """Puts the figures of a run in, and judges those that are newer than all before.

        A run that is there already changes nothing.
        """
        digest = sha256(repr(run).encode()).hexdigest()
        known = self._rows("select digest from runs where id = ?", [run.id])
        if known == [(digest,)]:
            return Added.KNOWN
        with self._whole():
            self._do("delete from points where run = ?", [run.id])
            self._do("delete from runs where id = ?", [run.id])
            self._insert("runs", [(run.id, run.started_at, run.title, run.outcome, digest)])
            ids = self._figure_ids(run.figures)
            rows = [(ids[f.key], *astuple(f.point), f.point.fit) for f in run.figures]
            self._insert("points", rows)
            self._judge(run, ids, tolerance)
        return Added.CHANGED if known else Added.NEW

    def runs(self) -> tuple[tuple[str, datetime], ...]:
        """All runs with their times, the oldest first."""
        return tuple((str(r), t) for r, t in self._rows("select id, started_at from runs order by 2, 1"))

    def series(
        self, *, testbed: str = "", version: str = "", test: str = "", size: int = 0
    ) -> tuple[Series, ...]:
        """The figures with their values; only those of a testbed, device version, test or frame size.

        `test` is a part of the name of the suite or the test.
        """
        chosen = [
            row
            for row in self._rows(f"select id, higher_is_better, size, {_KEY} from figures order by id")
            if testbed in ("", row[3])
            and (not size or row[2] == size)
            and test.casefold() in f"{row[6]}.{row[7]}".casefold()
        ]
        ids = [row[0] for row in chosen]
        points = self._points(ids)
        if version:
            points = {id_: [p for p in of if p.version == version] for id_, of in points.items()}
        alarms = self._alarms(ids)
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
        alarms = self._alarms([figure]).get(figure, [])
        if not alarms or alarms[-1].state not in OPEN:
            raise TesterLibraryError(f"figure {figure} has no open alarm; `tester trend` prints the numbers")
        accepted = alarms[-1].then(Step(State.ACCEPTED, at, "", None, because))
        row = self._step_row(figure, len(alarms), len(accepted.steps), accepted.steps[-1])
        with self._whole():
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

    def _judge(self, run: Run, ids: Mapping[Key, int], tolerance: float) -> None:
        fit = {ids[figure.key]: figure for figure in run.figures if figure.point.fit}
        judged = dict(self._rows("select id, judged_at from figures"))
        newer = [id_ for id_, f in fit.items() if judged[id_] is None or judged[id_] < f.point.at]
        points, alarms = self._points(newer, fit_alone=True), self._alarms(newer)
        for id_ in newer:
            before = tuple(alarms.get(id_, ()))
            after = judge(points[id_], before, fit[id_].higher_is_better, tolerance)
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
        newest = (
            f"and fit qualify row_number() over (partition by figure order by taken_at desc) <= {_JUDGED}"
            if fit_alone
            else ""
        )
        rows = self._rows(
            f"select figure, {_POINT} from points where list_contains(?, figure) {newest} "
            "order by figure, taken_at, run",
            [list(figures)],
        )
        for figure, *values in rows:
            found[figure].append(Point(*values))
        return found

    def _alarms(self, figures: Sequence[int]) -> dict[int, list[Alarm]]:
        found: dict[int, list[Alarm]] = {}
        steps: dict[tuple[int, int], list[Step]] = {}
        for figure, number, state, *rest in self._rows(
            "select figure, alarm, state, taken_at, run, value, note from steps "
            "where list_contains(?, figure) order by figure, alarm, number",
            [list(figures)],
        ):
            steps.setdefault((figure, number), []).append(Step(State(state), *rest))
        for figure, number, *rest in self._rows(
            "select figure, number, before, threshold, since from alarms where list_contains(?, figure) "
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

    def _rows(self, statement: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement, list(values)).fetchall()

    def _do(self, statement: str, values: Iterable[Any] = ()) -> None:
        self._connection.execute(statement, list(values))

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Everything that is done within, or nothing of it."""
        self._do("begin transaction")
        try:
            yield
            self._do("commit")
        except BaseException:
            self._connection.rollback()
            raise


@contextmanager
def open_database(path: Path, *, make: bool = True) -> Iterator[Database]:
    """Opens the database of runs; makes it where there is none.

    Args:
        path: The file.
        make: Whether it may be made and changed; it is only read if not.

    Raises:
        TesterLibraryError: DuckDB is not installed; the file is no such database, of a newer version, in use,
            or cannot be written.
    """
    if "://" in str(path) or ":/" in str(path):
        raise TesterLibraryError(
            f"{path} is an address; a database of runs is a DuckDB file, and no server is supported"
        )
    try:
        import duckdb
    except ImportError:
        raise TesterLibraryError(
            "a database of runs needs DuckDB; install robotframework-testerlibrary[trend]"
        ) from None
    if not make and not path.is_file():
        raise TesterLibraryError(f"there is no database {path}; `tester trend RECORD` makes one")
    try:
        if make:
            path.parent.mkdir(parents=True, exist_ok=True)
        settings: dict[str, str | bool | int | float | list[str]] = {
            "threads": 1,
            "autoinstall_known_extensions": "false",
        }
        with duckdb.connect(str(path), read_only=not make, config=settings) as connection:
            _check(path, connection, make=make)
            yield Database(connection)
    except (duckdb.Error, OSError) as problem:
        said = str(problem).strip().split("\n")[0]
        raise TesterLibraryError(
            f"the database {path} cannot be used: {said}. What it held before is still there"
        ) from None


def _check(path: Path, connection: duckdb.DuckDBPyConnection, *, make: bool) -> None:
    """Makes the tables of a new file, and refuses a file that is not this library's."""
    tables = {name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()}
    if not tables and make:
        connection.execute("begin transaction")
        connection.execute(_TABLES)
        connection.execute("insert into meta values (?)", [SCHEMA])
        connection.execute("commit")
        return
    if "meta" not in tables:
        raise TesterLibraryError(f"{path} is a DuckDB file, but no database of runs")
    found = connection.execute("select * from meta").fetchall()
    if found != [(SCHEMA,)]:
        version = found[0][0] if found else "none"
        raise TesterLibraryError(
            f"the database {path} has schema {version}, and this version reads {SCHEMA}; use the version of "
            "the library that wrote it, or another file"
        )
