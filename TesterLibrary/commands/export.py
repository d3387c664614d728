# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester export`: makes files for robotframework-dashboard and ReportPortal from a run that is over."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from ..campaign.verdict_lines import RESULTS
from ..errors import TesterLibraryError
from ..reporting.export import dashboard, reportportal
from ..reporting.export.facts import Facts, facts_of
from ..reporting.export.upload import KEY, upload
from ..reporting.record.durable import write_bytes
from ._command import STATUS_HELP, command

_FOLDER = RESULTS / "dashboard"
_FILE = "reportportal.zip"
_DASHBOARD = """
Makes an output.xml of each run in which robotframework-dashboard finds outcomes, values, device and versions,
and prints the command that adds them to its database. The same run makes the same file, and is known again.
"""
_REPORTPORTAL = f"""
Makes a zip file of JUnit that the plugin JUnit of ReportPortal imports, by its page or with --send. The API
key is read from {KEY} of the environment.
"""


@command("export", help="make files of a run for other tools")
def _arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(title="tools", required=True, metavar="TOOL")
    boards = kinds.add_parser(
        "dashboard", help="an output.xml for robotframework-dashboard", description=_DASHBOARD + STATUS_HELP
    )
    boards.add_argument("runs", metavar="RUN", type=Path, nargs="+", help="such as results/latest")
    boards.add_argument(
        "--output", metavar="FOLDER", type=Path, default=_FOLDER, help=f"(default: {_FOLDER})"
    )
    boards.set_defaults(run=_dashboard)
    portal = kinds.add_parser(
        "reportportal", help="a zip file for ReportPortal", description=_REPORTPORTAL + STATUS_HELP
    )
    portal.add_argument("directory", metavar="RUN", type=Path, help="such as results/latest")
    portal.add_argument("--output", metavar="FILE", type=Path, help=f"(default: {_FILE} in RUN)")
    portal.add_argument("--send", metavar="URL", default="", help="import it there; needs --project")
    portal.add_argument("--project", metavar="NAME", default="", help="of ReportPortal")
    portal.set_defaults(run=_reportportal)


def _dashboard(options: argparse.Namespace) -> int:
    known = [(directory, facts_of(directory)) for directory in options.runs]
    _check_distinct(known)
    made = [dashboard.write(facts, directory, options.output) for directory, facts in known]
    for exported in made:
        print(f"{exported.path}: {exported.tests} tests")
    arguments = " ".join(f"-o {shlex.quote(exported.argument)}" for exported in made)
    print(f"\nrobotdashboard {arguments}")
    return 0


def _check_distinct(known: Sequence[tuple[Path, Facts]]) -> None:
    """The dashboard tells runs apart by their time."""
    seen: dict[str, Path] = {}
    for directory, facts in known:
        second = f"{facts.started_at:%Y-%m-%d %H:%M:%S}"
        if other := seen.get(second):
            raise TesterLibraryError(
                f"{other} and {directory} both began at {second}, so their files would have one name; give "
                "one of them, or each with another --output"
            )
        seen[second] = directory


def _reportportal(options: argparse.Namespace) -> int:
    key = os.environ.get(KEY, "")
    if bool(options.send) != bool(options.project):
        raise TesterLibraryError("--send and --project go together: an import is into a project of a server")
    if options.send and not key:
        raise TesterLibraryError(
            f"--send needs {KEY} in the environment: an API key of a user of {options.project}"
        )
    facts = facts_of(options.directory)
    path = options.output or options.directory / _FILE
    content = reportportal.archive(facts)
    write_bytes(path, content)
    print(f"{path}: {facts.verdict} ({facts.counts})")
    if options.send:
        launch = reportportal.launch(facts)
        print(upload(options.send, options.project, key, name=path.name, content=content, launch=launch))
    return 0
