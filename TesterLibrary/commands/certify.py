# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester certify`: runs suites on testbeds and writes the reports."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from ..errors import TesterLibraryError
from ..files import paths
from ..reporting.agenda import Item
from ..reporting.outcome import ERROR, EXIT_STATUS, overall
from ..reporting.rebuild import rebuild
from ._certification import Certification, certification, resumed
from ._command import command
from ._verdicts import RESULTS, show

_PROFILE = "quick"
_DESCRIPTION = """
Runs the suites on one testbed after another and writes one set of reports: output.xml, log.html,
report.html, certificate.html, allure-report/index.html, junit.xml, summary.md (for merge requests), and the
evidence they are made from.

Ctrl-C ends the run cleanly: what was measured so far is reported. A second Ctrl-C ends it at once.
--resume goes on with such a run: tests that ended with a verdict are not run again.

exit status:
   0  every test passed a verdict
   1  a test failed: measured, and out of bounds
   2  no test failed and none had an error, but of one the tester could not tell
   3  an error: in a suite or a file; a record is missing; the run was interrupted
   4  nothing else is wrong, but a test judged nothing
  64  the command line is wrong; nothing was run
"""


@command(
    "certify",
    help="run the certification and write its reports",
    description=_DESCRIPTION,
    formatter_class=argparse.RawDescriptionHelpFormatter,
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile",
        default=_PROFILE,
        help=f"what is run: {', '.join(paths.names('criteria/profiles'))}, or a file (default: quick)",
    )
    parser.add_argument(
        "--testbed",
        action="append",
        default=[],
        metavar="NAME|FILE",
        help="can be given several times (default: the embedded ones of the profile)",
    )
    parser.add_argument("--criteria", metavar="FILE", help="bounds for the devices of all testbeds given")
    parser.add_argument(
        "--suite",
        action="append",
        default=[],
        metavar="PATH",
        help="a .robot file or a folder of them; can be given several times (default: those of the profile)",
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        help="a new or empty folder (default: results/<time>, linked as results/latest)",
    )
    parser.add_argument(
        "--resume",
        metavar="DIR",
        help="the folder of an interrupted run, such as results/latest; with no other option",
    )
    parser.set_defaults(run=_certify)


def _certify(options: argparse.Namespace) -> int:
    return _resume(options) if options.resume else _begin(options)


def _begin(options: argparse.Namespace) -> int:
    now = datetime.now().strftime("%Y%m%d-%H%M%S")
    output = Path(options.output) if options.output else RESULTS / now
    run = certification(
        profile=options.profile,
        testbeds=options.testbed,
        criteria=options.criteria,
        suites=options.suite,
        output=output,
    )
    items = run.begin()
    if not options.output:
        _link_latest(run.output)
    return _run(run, items, f"{len(items)} tests")


def _resume(options: argparse.Namespace) -> int:
    others = (options.testbed, options.criteria, options.suite, options.output)
    if any(others) or options.profile != _PROFILE:
        raise TesterLibraryError("--resume goes on with the run as it was begun; give no other option")
    run = resumed(Path(options.resume).resolve())
    items, left = tuple(run.items()), run.again or ()
    return _run(run, left, f"{len(left)} of {len(items)} tests are left")


def _run(run: Certification, items: Sequence[Item], tests: str) -> int:
    """Runs tests, of which it says how many and how long, and makes the reports."""
    expected = sum(item.expected_s for item in items)
    about = f", about {_minutes(expected)}" if expected else ""
    beds = " and ".join(bed.testbed for bed in run.beds)
    profile = run.profile_values["name"]
    print(f"{run.title}, profile {profile}: {tests} on {beds}{about}.", flush=True)
    started = time.monotonic()
    finished = run.run()
    if not finished:
        print(f"Interrupted; this is what was measured so far. Go on: tester certify --resume {run.output}")
    reports = rebuild(run.output)
    show(reports, run.output, took=f", {_minutes(time.monotonic() - started)}")
    return EXIT_STATUS[overall(reports.records.outcomes())] if finished else EXIT_STATUS[ERROR]


def _link_latest(output: Path) -> None:
    """Replaces the link at once, so that there is always one."""
    fresh = RESULTS / ".latest"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(output.name)
    fresh.replace(RESULTS / "latest")


def _minutes(seconds: float) -> str:
    if seconds >= 7200:
        return f"{seconds / 3600:.0f} hours"
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"
