# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester report`: makes the reports of a run again from its records."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..reporting import statement
from ..reporting.markdown import markdown
from ..reporting.outcome import ERROR, EXIT_STATUS
from ..reporting.rebuild import is_plain_robot, rebuild
from ..reporting.signature import load_private_key, sign
from ..reporting.tables import write_tables
from ._command import STATUS_HELP, command
from ._verdicts import show


@command(
    "report",
    help="make the reports of a run again",
    description="Makes all reports from what was recorded. " + STATUS_HELP,
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", type=Path, help="such as results/latest")
    parser.add_argument(
        "--markdown", action="store_true", help="print the summary for a merge request, and nothing else"
    )
    parser.add_argument(
        "--key", metavar="FILE", type=Path, help="an Ed25519 private key in PEM, which signs the certificate"
    )
    parser.add_argument(
        "--csv",
        metavar="FOLDER",
        type=Path,
        help="write all records as tables, too: tests, trials, streams, intervals, verdicts, events",
    )
    parser.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> int:
    key = load_private_key(options.key) if options.key else None
    reports = rebuild(options.directory)
    if key and options.directory / statement.FILE in reports.made:
        sign(options.directory / statement.FILE, key)
    if options.csv:
        write_tables(reports.records, options.csv)
    if options.markdown:
        print(markdown(reports.records), end="")
        for problem in reports.problems:
            print(f"tester: {problem}", file=sys.stderr)
        return EXIT_STATUS[ERROR] if reports.problems else 0
    show(reports, options.directory)
    if is_plain_robot(options.directory):
        print("no Allure report: robot records nothing for it; tester certify and tester run do")
    return EXIT_STATUS[ERROR] if reports.problems else 0
