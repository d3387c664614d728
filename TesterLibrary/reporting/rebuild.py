# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes every report of a run from what was recorded, at its end or any time later."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

from robot import rebot
from robot.api import ExecutionResult
from robot.errors import DataError

from ..errors import TesterLibraryError
from . import allure, certificate, junit, markdown
from .records import Records, read

EVIDENCE = "evidence"
ROBOT = "robot"  # what each Robot run wrote, before they are merged
ALLURE_RESULTS = "allure-results"
ALLURE_REPORT = "allure-report"
CERTIFICATE = "certificate.html"
_REBOT_FAILED = 251  # up to 250 it is the number of failed tests


@dataclass(frozen=True)
class Reports:
    """The reports that were made, and the problems with those that could not be."""

    records: Records
    made: tuple[Path, ...]
    problems: tuple[str, ...]


def rebuild(directory: Path) -> Reports:
    """Makes log.html, report.html, certificate, Allure report, junit.xml and summary.md of a run.

    Raises:
        TesterLibraryError: the directory holds no evidence, or evidence that cannot be read.
    """
    records = read(directory / EVIDENCE)
    made = [
        certificate.write(records, directory / CERTIFICATE),
        junit.write(records, directory / junit.FILE),
        markdown.write(records, directory / markdown.FILE),
    ]
    problems = []
    title = records.agenda.title if records.agenda else "Test run"
    for make in (_robot_reports, _allure_report):
        try:
            made += make(directory, title)
        except TesterLibraryError as error:
            problems.append(str(error))
    return Reports(records, tuple(made), tuple(problems))


def _robot_reports(directory: Path, title: str) -> list[Path]:
    parts = sorted((directory / ROBOT).glob("*.xml"))
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
        cut = ", ".join(path.name for path in parts if path not in whole)
        raise TesterLibraryError(
            f"log.html and report.html are without {cut}, which a killed run left unfinished"
        )
    return [directory / name for name in ("output.xml", "log.html", "report.html")]


def _is_whole(path: Path) -> bool:
    try:
        ExecutionResult(str(path), include_keywords=False)
    except DataError:
        return False
    return True


def _allure_report(directory: Path, title: str) -> list[Path]:
    return [allure.generate(directory / ALLURE_RESULTS, directory / ALLURE_REPORT, title=title)]
