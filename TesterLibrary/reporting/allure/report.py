# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The Allure report, made from the results of a run when it is over."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from ...errors import TesterLibraryError
from ..record.durable import RecordError, write_json
from ..record.records import Records
from . import input as allure_input
from .history import FILE as HISTORY
from .history import AllureHistory

COMMAND_VARIABLE = "TESTER_ALLURE"
_TIMEOUT_S = 300
_CONFIG = "allurerc.json"
# By default the tool's report tells a web service who opens it; measurements of a laboratory are private.
_ANALYTICS = re.compile(
    r"<script async src=\"https://www\.googletagmanager\.com[^>]*></script>\s*<script>.*?</script>",
    re.DOTALL,
)


def command() -> Path:
    """The Allure report tool, major 3.

    Raises:
        TesterLibraryError: it is nowhere; the message says how to get it.
    """
    named = os.environ.get(COMMAND_VARIABLE, "")
    beside = Path(sys.prefix, "bin", "allure")
    for candidate in (named, str(beside), "allure"):
        found = shutil.which(candidate) if candidate else None
        if found:
            return Path(found)
    raise TesterLibraryError(
        f"the Allure report tool is missing: there is no {beside} and no allure in PATH; run "
        "`python3 tools/allure.py` in the project, or `npm install -g allure@3`, or give its path in "
        f"{COMMAND_VARIABLE}"
    )


def generate(results: Path, report: Path, *, title: str, records: Records) -> Path:
    """Makes `report/index.html`, one file that opens without a server, from `results`. Needs no network.

    The runs before are in its history, as far as they are recorded beside the folder of this one.

    Raises:
        TesterLibraryError: there are no results, or the tool is missing or failed; an older report stays.
    """
    if not any(results.glob("*-result.json")):
        raise TesterLibraryError(
            f"{results} holds no Allure results: no test has ended, or Robot ran without "
            "allure-robotframework"
        )
    fresh, work = report.with_name(report.name + ".new"), results.with_name(f".{results.name}")
    history = AllureHistory(results.parent, records)
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(work, ignore_errors=True)
        allure_input.write(results, work / results.name, records)
        history.hand_over(work / HISTORY)
        config = {"historyPath": str((work / HISTORY).absolute()), **allure_input.configuration(records)}
        write_json(work / _CONFIG, config)
        _run_tool(work / results.name, fresh, title)
        page = fresh / "index.html"
        page.write_text(_ANALYTICS.sub("", page.read_text(encoding="utf-8")), encoding="utf-8")
        shutil.rmtree(report, ignore_errors=True)
        fresh.rename(report)
        with suppress(OSError, RecordError):  # a folder of runs that cannot be written has no history
            history.take_back(work / HISTORY)
    except OSError as problem:
        raise TesterLibraryError(f"the Allure report could not be made: {problem}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return report / "index.html"


def _run_tool(results: Path, report: Path, title: str) -> None:
    options = ["awesome", "--single-file", "--name", title, "--output", str(report.absolute())]
    options += ["--config", str((results.parent / _CONFIG).absolute())]
    arguments = [str(command()), *options, str(results.absolute())]
    try:
        done = subprocess.run(
            arguments, cwd=results.parent, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise TesterLibraryError(f"{arguments[0]} did not end within {_TIMEOUT_S} s") from None
    if done.returncode or not (report / "index.html").is_file():
        raise TesterLibraryError(
            f"{' '.join(arguments)} failed: {(done.stderr or done.stdout).strip()[-2000:]}"
        )
