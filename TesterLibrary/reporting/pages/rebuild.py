# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes every report of a run from what was recorded, at its end or any time later."""

from __future__ import annotations

import hashlib
import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from robot import rebot
from robot.api import ExecutionResult
from robot.errors import DataError

from ...errors import TesterLibraryError
from ..allure import report as allure_report
from ..merge.assembly import assemble
from ..merge.cells import CELLS
from ..record import marks
from ..record.digests import digest_of, digests_of
from ..record.durable import write_file
from ..record.record_place import ALLURE_RESULTS, CERTIFICATE, EVIDENCE, ROBOT
from ..record.recorder import RUN_VARIABLE
from ..record.records import Records, read
from . import certificate, demonstration, junit, markdown, statement
from .signature import sign, signature_file

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

NO_REPORTS = "TESTER_NO_REPORTS"  # of the environment
ALLURE_REPORT = "allure-report"
_OF_RECORDS = (junit.FILE, markdown.FILE, marks.FILE)
READ_BY_CI = (*_OF_RECORDS, "output.xml", "log.html", "report.html")
_REBOT_FAILED = 251  # up to 250 it is the number of failed tests


@dataclass(frozen=True)
class Reports:
    """The reports that were made, and the problems with those that could not be."""

    records: Records
    made: tuple[Path, ...]
    problems: tuple[str, ...]

    def signed(self, directory: Path, key: Ed25519PrivateKey) -> Reports:
        """The reports after the certificate was signed, or with the reason why it is not."""
        file = directory / statement.FILE
        wrong = (*self.records.faults, *self.records.contradictions)
        try:
            if wrong:
                more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
                raise TesterLibraryError(f"{file} is not signed: {wrong[0]}{more}")
            if file in self.made:
                sign(file, key)
        except TesterLibraryError as problem:
            return replace(self, problems=(*self.problems, str(problem)))
        return self


def evidence_of(directory: Path) -> Path:
    """The folder with the records of a run: inside its folder, or the one that is named itself."""
    inside = directory / EVIDENCE
    return inside if inside.is_dir() else directory


def rebuild(directory: Path) -> Reports:
    """Makes log.html, report.html, both certificates, Allure report, junit.xml, summary.md and events.csv.

    Those of a campaign on several testers are of the cells that are there.

    Raises:
        TesterLibraryError: the directory holds no evidence, or evidence that cannot be read.
    """
    signed = _is_signed(directory)
    cut = assemble(directory) if (directory / CELLS).is_dir() and not signed else ()
    records = read(directory / EVIDENCE)
    problems = [_without(path.relative_to(directory / CELLS) for path in cut)] if cut else []
    made: list[Path] = []
    title = records.agenda.title if records.agenda else "Test run"
    if demonstrates := demonstration.of_run(records.run):
        title += f" – {demonstrates}"
    if not signed:  # by the signature, reports stand as they are
        made += _reports_of_records(directory, records)
        made += _tried(lambda: _robot_reports(directory, title), problems)
    made += _tried(lambda: _allure_report(records, directory, title), problems)
    made = [*_certificates(directory, records, problems), *made]
    return Reports(records, tuple(made), tuple(problems))


def after_robot(directory: Path) -> None:
    """Makes what needs only the records, at the end of a run of Robot itself.

    `tester certify` and `tester run` make their reports when all is over, and NO_REPORTS leaves them out.
    Whoever waits for Robot's status is told what is wrong with them, and nothing else happens.
    """
    evidence = directory / EVIDENCE
    if RUN_VARIABLE in os.environ or NO_REPORTS in os.environ or not (evidence / "run.json").is_file():
        return
    problems: list[str] = []
    try:
        records = read(evidence)
        _reports_of_records(directory, records)
        # Robot has not written its own reports yet: those that are there are of an earlier run.
        _certificates(directory, records, problems, _OF_RECORDS)
    except (TesterLibraryError, OSError) as problem:
        problems.append(f"the certificate was not made: {problem}")
    for text in problems:
        print(f"tester: {text}; tester report {directory} makes it", file=sys.stderr)


def _reports_of_records(directory: Path, records: Records) -> list[Path]:
    """JUnit, Markdown and the table of events."""
    return [
        junit.write(records, directory / junit.FILE),
        markdown.write(records, directory / markdown.FILE),
        marks.write_table(records.events, directory / marks.FILE),
    ]


def _tried(make: Callable[[], list[Path]], problems: list[str]) -> list[Path]:
    try:
        return make()
    except TesterLibraryError as error:
        problems.append(str(error))
        return []


def _is_signed(directory: Path) -> bool:
    """Whether the certificate is signed, and names the reports that are read beside it."""
    told = directory / statement.FILE
    return (
        signature_file(told).exists()
        and told.exists()
        and f'"{junit.FILE}"' in told.read_text(encoding="utf-8", errors="replace")
    )


def _certificates(
    directory: Path, records: Records, problems: list[str], covered: Sequence[str] = READ_BY_CI
) -> list[Path]:
    """The certificate for people and the one for programs, which has the digests of the other reports."""
    page, told = directory / CERTIFICATE, directory / statement.FILE
    html = certificate.certificate(records)
    reports = {name: digest_of(directory / name) for name in covered if (directory / name).is_file()}
    digests = {
        **digests_of(directory, EVIDENCE),
        CERTIFICATE: hashlib.sha256(html.encode()).hexdigest(),
        **reports,
    }
    text = statement.statement(records, digests)
    if signature_file(told).exists() and told.exists() and told.read_bytes() != text.encode():
        problems.append(
            f"{told} and {CERTIFICATE} are signed, and are kept as they were: what the records say now, or "
            f"how it is drawn, differs. Remove {signature_file(told).name} to make them anew"
        )
        return [page]
    write_file(page, html)
    write_file(told, text)
    return [page, told]


def _robot_reports(directory: Path, title: str) -> list[Path]:
    parts = sorted(sorted((directory / ROBOT).glob("*.xml")), key=_number)
    whole = [path for path in parts if _is_whole(path)]
    options = {"output": "output.xml"} if parts else {}
    if len(parts) > 1:
        options["name"] = title
    sources = whole if parts else [directory / "output.xml"]
    if not sources or not all(path.exists() for path in sources):
        raise TesterLibraryError(f"{directory} holds no whole output of Robot: no log.html, no report.html")
    messages = io.StringIO()
    status: int = rebot(  # type: ignore[no-untyped-call]
        *map(str, sources),
        outputdir=str(directory),
        log="log.html",
        report="report.html",
        logtitle=f"{title}: log",
        reporttitle=f"{title}: report",
        stdout=messages,
        stderr=messages,
        **options,
    )
    if status >= _REBOT_FAILED:
        raise TesterLibraryError(f"rebot failed: {messages.getvalue().strip()}")
    if len(whole) < len(parts):
        raise TesterLibraryError(
            _without(path.relative_to(path.parent) for path in parts if path not in whole)
        )
    return [directory / name for name in ("output.xml", "log.html", "report.html")]


def _without(cut: Iterable[Path]) -> str:
    names = ", ".join(map(str, cut))
    return f"log.html and report.html are without {names}, which a killed run left unfinished"


def _number(path: Path) -> int:
    """The number of an output of Robot: `10-router.xml` comes after `9-bridge.xml`."""
    number = path.name.partition("-")[0]
    return int(number) if number.isdecimal() else 0


def _is_whole(path: Path) -> bool:
    try:
        ExecutionResult(str(path), include_keywords=False)
    except DataError:
        return False
    return True


def is_plain_robot(directory: Path) -> bool:
    """Whether Robot itself made the run, so that nothing was recorded for Allure."""
    return not any((directory / name).is_dir() for name in (ROBOT, ALLURE_RESULTS))


def _allure_report(records: Records, directory: Path, title: str) -> list[Path]:
    if is_plain_robot(directory):
        return []
    results, report = directory / ALLURE_RESULTS, directory / ALLURE_REPORT
    return [allure_report.generate(results, report, title=title, records=records)]
