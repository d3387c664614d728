# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The Allure report: attachments while Robot runs, and the report from its results afterwards."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from ..errors import TesterLibraryError

COMMAND_VARIABLE = "TESTER_ALLURE"
_TYPES = {
    "json": "application/json",
    "html": "text/html",
    "svg": "image/svg+xml",
    "pcapng": "application/vnd.tcpdump.pcap",
}
_TIMEOUT_S = 300
# By default the tool's report tells a web service who opens it; measurements of a laboratory are private.
_ANALYTICS = re.compile(
    r"<script async src=\"https://www\.googletagmanager\.com[^>]*></script>\s*<script>.*?</script>",
    re.DOTALL,
)


def attach(name: str, content: str | bytes, kind: str) -> None:
    """Adds an attachment to the current test, if Allure listens; `kind` is json, html, svg or pcapng."""
    manager = sys.modules.get("allure_commons")
    if manager is None:  # Allure's listener is not loaded
        return
    if manager.plugin_manager.get_plugins():
        manager.plugin_manager.hook.attach_data(
            body=content, name=name, attachment_type=_TYPES[kind], extension=kind
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


def generate(results: Path, report: Path, *, title: str) -> Path:
    """Makes `report/index.html`, one file that opens without a server, from `results`. Needs no network.

    Raises:
        TesterLibraryError: there are no results, or the tool is missing or failed; an older report stays.
    """
    if not any(results.glob("*-result.json")):
        raise TesterLibraryError(
            f"{results} holds no Allure results; was the run made with allure-robotframework?"
        )
    fresh = report.with_name(report.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    options = ["awesome", "--single-file", "--name", title, "--output", str(fresh.absolute())]
    arguments = [str(command()), *options, str(results.absolute())]
    try:
        done = subprocess.run(
            arguments, cwd=results.parent, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise TesterLibraryError(f"{arguments[0]} did not end within {_TIMEOUT_S} s") from None
    if done.returncode or not (fresh / "index.html").is_file():
        raise TesterLibraryError(
            f"{' '.join(arguments)} failed: {(done.stderr or done.stdout).strip()[-2000:]}"
        )
    page = fresh / "index.html"
    page.write_text(_ANALYTICS.sub("", page.read_text(encoding="utf-8")), encoding="utf-8")
    shutil.rmtree(report, ignore_errors=True)
    fresh.rename(report)
    return report / "index.html"
