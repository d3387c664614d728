# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester trend`: keeps the values of runs in a database, and says which have changed for the worse."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from ..campaign.verdict_lines import RESULTS
from ..errors import TesterLibraryError
from ..model.units.number import counted
from ..model.units.units import Ratio
from ..reporting.pages.rebuild import evidence_of
from ..reporting.record.durable import write_file
from ..reporting.record.records import cut_off, read_consistent
from ..reporting.trend import page
from ..reporting.trend.address import Address
from ..reporting.trend.database import TOLERANCE, Database, open_database
from ..reporting.trend.figure import Run, run_of
from ..reporting.trend.level import Method
from ..reporting.trend.summary import Trend, status, time_text, trends
from ._command import command

_DATABASE = RESULTS / "trend.duckdb"
_DESCRIPTION = """
Adds runs to a database and prints the trend of each value that they judged, the urgent ones first. A run that
is there already changes nothing. A value that is worse than those before is a candidate: measure it again,
and give that run, too. It is alarmed if the second value is as bad, and refuted if not. An alarm is confirmed
by the next value, or recovered. Values of a tester that was not fit are kept, and never judged.

exit status:
   0  no value has become worse
   1  an alarm is open; --accept NUMBER takes its value for the usual one
   2  a candidate is to be measured again, or a newest value says nothing yet: its tester was not fit, or
      there are fewer than 6 values
   3  an error
  64  the command line is wrong
"""


@command(
    "trend",
    help="keep the values of runs, and find changes",
    description=_DESCRIPTION,
    formatter_class=argparse.RawDescriptionHelpFormatter,
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "records", metavar="RECORD", type=Path, nargs="*", help="runs to add: folders such as results/latest"
    )
    parser.add_argument(
        "--database",
        metavar="FILE",
        default=str(_DATABASE),
        help="a DuckDB file, or postgresql://USER@HOST:PORT/DATABASE; the password is best in PGPASSWORD or "
        f"~/.pgpass (default: {_DATABASE})",
    )
    parser.add_argument(
        "--tolerance",
        metavar="PART",
        type=Ratio.parse,
        default=TOLERANCE,
        help="the part of a value up to which a change is none (default: 1 %%)",
    )
    parser.add_argument(
        "--method",
        choices=[method.value for method in Method],
        default=Method.JUMPAVG.value,
        help="the library that finds changes; otava needs the extra of that name (default: jumpavg)",
    )
    parser.add_argument("--testbed", default="", help="only figures of this testbed")
    parser.add_argument("--version", default="", help="only values of this version of the device")
    parser.add_argument("--test", default="", metavar="TEXT", help="only tests with this in their name")
    parser.add_argument(
        "--size", type=int, default=0, metavar="BYTES", help="only figures of this frame size"
    )
    parser.add_argument("--accept", type=int, metavar="NUMBER", help="take the alarm on this figure for good")
    parser.add_argument("--because", default="", metavar="TEXT", help="why it is accepted; needs --accept")
    parser.add_argument(
        "--copy-to",
        metavar="DATABASE",
        default="",
        help="make another database the same: a new one, or an earlier copy; a file or a server",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, all values included")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write a page with charts and filters")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write all values as a table")
    parser.set_defaults(run=_trend)


def _trend(options: argparse.Namespace) -> int:
    if bool(options.because) != (options.accept is not None):
        raise TesterLibraryError("--accept and --because go together: an accepted alarm says why")
    address = Address.parse(options.database)
    given = [_run(record) for record in options.records]
    added = sorted((run for run, _ in given), key=lambda run: run.started_at)
    changes = bool(given) or options.accept is not None
    with open_database(address.given, make=changes) as database:
        said = [
            f"run {run.id} of {time_text(run.started_at)}: {_add(database, run, options)}" for run in added
        ]
        said += [note for _, notes in given for note in notes]
        if options.accept is not None:
            accepted = database.accept(options.accept, _now(), options.because)
            said.append(f"figure {options.accept}: {accepted.state.value}")
        runs = database.runs()
        chosen = {name: getattr(options, name) for name in ("testbed", "version", "test", "size")}
        series = database.series(**chosen)
        if options.copy_to:
            said.append(_copied(database, address, options.copy_to))
    looked_at = [run.id for run in added] or [run for run, _ in runs[-1:]]
    found = trends(series, looked_at, Method(options.method))
    newest = max((at for _, at in runs), default=None)
    _write(options, found, len(runs), newest)
    if options.json:
        print(json.dumps(_document(found, len(runs), said), indent=2, ensure_ascii=False))
    else:
        print("\n".join((*said, *_lines(found, len(runs), address))))
    return status(found, looked_at)


def _run(record: Path) -> tuple[Run, Sequence[str]]:
    """The figures of a run, and what is wrong with its record."""
    folder = evidence_of(record)
    records = read_consistent(folder)
    return run_of(records), cut_off(records, folder)


def _add(database: Database, run: Run, options: argparse.Namespace) -> str:
    return database.add(run, float(options.tolerance.value), Method(options.method)).value


def _copied(database: Database, address: Address, given: str) -> str:
    """Copies everything into another database, and says so."""
    target = Address.parse(given)
    if str(target) == str(address) or (
        not target.is_server and target.file.resolve() == address.file.resolve()
    ):
        raise TesterLibraryError(f"--copy-to {target} is the database itself; give another one")
    with open_database(target.given) as other:
        try:
            runs = database.copy_to(other)
        except TesterLibraryError as problem:
            raise TesterLibraryError(f"{target} is not replaced: {problem}") from None
    return f"{counted(runs, 'run')} copied from {address} to {target}"


def _now() -> datetime:
    return datetime.now(timezone.utc).replace(tzinfo=None)


def _document(found: Sequence[Trend], runs: int, said: Sequence[str]) -> dict[str, object]:
    return {"runs": runs, "notes": list(said), "figures": [trend.record() for trend in found]}


def _lines(found: Sequence[Trend], runs: int, database: Address) -> Sequence[str]:
    counts = Counter(trend.standing.value for trend in found)
    summary = ", ".join(f"{count} {name}" for name, count in counts.items()) or "no figures"
    return (
        "",
        *(f"{t.series.id:>4} {t.text()}" for t in found),
        "",
        f"{summary}; {counted(runs, 'run')} in {database}",
    )


def _write(options: argparse.Namespace, found: Sequence[Trend], runs: int, newest: datetime | None) -> None:
    if options.html:
        page.write(found, options.html, runs=runs, newest=newest)
    if options.csv:
        text = io.StringIO()
        rows = [
            {**{k: v for k, v in record.items() if k not in ("points", "alarms", "standing")}, **point}
            for record in (trend.record() for trend in found)
            for point in record["points"]
        ]
        table = csv.DictWriter(text, list(rows[0]) if rows else ["figure"], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        write_file(options.csv, text.getvalue())
