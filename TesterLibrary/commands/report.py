# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester report`: makes the reports of a run again from its records."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..campaign.verdict_lines import show
from ..reporting.merge.assembly import merge
from ..reporting.pages.markdown import markdown
from ..reporting.pages.pdf import print_pdf
from ..reporting.pages.rebuild import is_plain_robot, rebuild
from ..reporting.pages.signature import load_private_key
from ..reporting.pages.tables import write_tables
from ..reporting.record.outcome import ERROR, EXIT_STATUS
from ._command import STATUS_HELP, command


@command(
    "report",
    help="make the reports of a run again",
    description="Makes all reports from what was recorded. " + STATUS_HELP,
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", type=Path, nargs="?", help="such as results/latest")
    parser.add_argument(
        "--merge",
        metavar="RUN",
        type=Path,
        nargs="+",
        help="make one run of several runs of robot, the first one first, such as a run and its "
        "--rerunfailed; the last attempt at a test counts, and reports show the earlier ones. Each is the "
        "folder of a run, or of its records, such as results/evidence-20260102T030405",
    )
    parser.add_argument("--output", metavar="DIR", type=Path, help="of --merge: a new or empty folder")
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
    parser.add_argument(
        "--pdf",
        action="store_true",
        help="print the certificate to certificate.pdf, by a browser",
    )
    parser.set_defaults(run=_report, refuse=parser.error)


def _merged(options: argparse.Namespace) -> Path:
    """The folder of several runs in one."""
    if options.directory or not options.output or len(options.merge) == 1:
        options.refuse("--merge needs two or more runs, and --output DIR for the folder of both")
    merge(options.merge, options.output)
    output: Path = options.output
    return output


def _report(options: argparse.Namespace) -> int:
    key = load_private_key(options.key) if options.key else None
    if options.merge:
        options.directory = _merged(options)
    elif options.output or not options.directory:
        options.refuse("give the folder of a run, or --merge RUN RUN --output DIR")
    reports = rebuild(options.directory)
    if key:
        reports = reports.signed(options.directory, key)
    if options.csv:
        write_tables(reports.records, options.csv)
    if options.pdf:
        print_pdf(options.directory / "certificate.html")
    if options.markdown:
        print(markdown(reports.records), end="")
        for problem in reports.problems:
            print(f"tester: {problem}", file=sys.stderr)
        return EXIT_STATUS[ERROR] if reports.problems else 0
    show(reports, options.directory)
    if is_plain_robot(options.directory):
        print("no Allure report: robot records nothing for it; tester certify and tester run do")
    return EXIT_STATUS[ERROR] if reports.problems else 0
