# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `tester`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from ..errors import TesterLibraryError
from ..files import paths
from ..reporting import allure
from ..reporting.machine import describe_machine, versions
from ..reporting.outcome import ERROR, EXIT_STATUS, WRONG_COMMAND_LINE, one_line, overall
from ..reporting.rebuild import Reports, rebuild
from ..targets.engine.leftovers import restore_interfaces
from ..targets.engine.runtime import clean_runtime_directories
from ..testbeds import clean_stale, list_testbeds, load_testbed, shipped_testbeds
from .certification import certification
from .counters import add_counters_command
from .p4 import add_p4_command
from .plan import add_plan_command
from .protocol import add_protocol_command

STATUS = EXIT_STATUS
_RESULTS = Path("results")
_CERTIFY = """
Runs the suites on one testbed after another and writes one set of reports: output.xml, log.html,
report.html, certificate.html, allure-report/index.html, and the evidence they are made from.

Ctrl-C ends the run cleanly: what was measured so far is reported. A second Ctrl-C ends it at once.

exit status:
   0  every test passed a verdict
   1  a test failed: measured, and out of bounds
   2  no test failed and none had an error, but of one the tester could not tell
   3  an error: in a suite or a file; a record is missing; the run was interrupted
   4  nothing else is wrong, but a test judged nothing
  64  the command line is wrong; nothing was run
"""
_STATUS = """
exit status: 0 done; 3 an error, which is said; 64 the command line is wrong. `tester certify --help` tells
those of a certification.
"""


class _Parser(argparse.ArgumentParser):
    """Ends with a status of its own, because argparse's is that of an inconclusive certification."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(WRONG_COMMAND_LINE, f"{self.prog}: error: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command. Returns its exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except TesterLibraryError as error:
        print(f"tester: {error}", file=sys.stderr)
        status = STATUS[ERROR]
    return status


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="tester",
        description="Certifies network devices with real traffic: RFC 2544 and beyond.",
        epilog=_STATUS,
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    certify = commands.add_parser(
        "certify",
        help="run the certification and write its reports",
        description=_CERTIFY,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    certify.add_argument(
        "--profile",
        default="quick",
        help=f"what is run: {', '.join(paths.names('criteria/profiles'))}, or a file (default: quick)",
    )
    certify.add_argument(
        "--testbed",
        action="append",
        default=[],
        metavar="NAME|FILE",
        help="can be given several times (default: the embedded ones of the profile)",
    )
    certify.add_argument("--criteria", metavar="FILE", help="bounds for the devices of all testbeds given")
    certify.add_argument(
        "--suite",
        action="append",
        default=[],
        metavar="PATH",
        help="a .robot file or a folder of them; can be given several times (default: those of the profile)",
    )
    certify.add_argument(
        "--output",
        metavar="DIR",
        help="a new or empty folder (default: results/<time>, linked as results/latest)",
    )
    certify.set_defaults(run=_certify)

    report = commands.add_parser(
        "report",
        help="make the reports of a run again",
        description="Makes all reports from what was recorded. " + _STATUS,
    )
    report.add_argument("directory", metavar="DIR", type=Path, help="such as results/latest")
    report.set_defaults(run=_report)

    testbed = commands.add_parser("testbed", help="list testbeds, or remove what a killed run left of one")
    testbed.add_argument("action", choices=("list", "clean"))
    testbed.set_defaults(run=_testbed)

    add_plan_command(commands)
    add_counters_command(commands)
    add_protocol_command(commands)
    add_p4_command(commands)

    info = commands.add_parser("info", help="versions, machine, engine, and where things are")
    info.set_defaults(run=_info)
    return parser


def _certify(options: argparse.Namespace) -> int:
    now = datetime.now().strftime("%Y%m%d-%H%M%S")
    output = Path(options.output) if options.output else _RESULTS / now
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
    expected = sum(item.expected_s for item in items)
    about = f", about {_minutes(expected)}" if expected else ""
    beds = " and ".join(bed.testbed for bed in run.beds)
    profile = run.profile_values["name"]
    print(f"{run.title}, profile {profile}: {len(items)} tests on {beds}{about}.", flush=True)
    started = time.monotonic()
    finished = run.run()
    if not finished:
        print("Interrupted; this is what was measured so far.")
    reports = rebuild(run.output)
    _show(reports, run.output, took=f", {_minutes(time.monotonic() - started)}")
    return STATUS[overall(reports.records.outcomes())] if finished else STATUS[ERROR]


def _report(options: argparse.Namespace) -> int:
    reports = rebuild(options.directory)
    _show(reports, options.directory)
    return STATUS[ERROR] if reports.problems else 0


def _show(reports: Reports, directory: Path, *, took: str = "") -> None:
    """The verdict of each test, and where the report is."""
    records = reports.records
    print()
    for test in records.tests:
        said = one_line(test.outcome, test.message).removeprefix(test.outcome)
        print(f"{test.outcome:<12} {test.suite} · {test.test}{said}")
    for suite, tests in records.not_run.items():
        print(f"{'ERROR':<12} {suite}: no record of {', '.join(tests)}")
    for problem in reports.problems:
        print(f"tester: {problem}", file=sys.stderr)
    outcomes = records.outcomes()
    counts = ", ".join(f"{outcomes.count(name)} {name}" for name in STATUS if name in outcomes)
    print(f"\n{overall(outcomes)} ({counts or 'no test was run'}{took})")
    for path in reports.made:
        if path.suffix == ".html":
            print(f"  {_shown(directory, path)}")


def _shown(directory: Path, path: Path) -> Path:
    latest = _RESULTS / "latest"
    if latest.is_symlink() and latest.resolve() == directory.resolve():
        return latest / path.relative_to(directory)
    return path


def _testbed(options: argparse.Namespace) -> int:
    if options.action == "list":
        for name, path in shipped_testbeds().items():
            print(f"{name:<24} {load_testbed(str(path)).description}")
        for open_now in list_testbeds():
            print(f"open: {open_now}")
        return 0
    removed = [*clean_stale(), *clean_runtime_directories()]
    for left in removed:
        print(f"removed: {left}")
    restored = restore_interfaces()
    for line in restored:
        print(f"restored: {line}")
    if not removed and not restored:
        print("There was nothing to remove.")
    return 0


def _info(_: argparse.Namespace) -> int:
    try:
        report_tool = str(allure.command())
    except TesterLibraryError:
        report_tool = "missing"
    facts = {
        **versions(),
        **describe_machine(),
        "engine": paths.engine() or "this installation was built without one",
        "allure": report_tool,
        "suites": paths.suite_root(),
        "profiles": ", ".join(paths.names("criteria/profiles")),
    }
    for name, value in facts.items():
        print(f"{name:<30} {value}")
    return 0


def _link_latest(output: Path) -> None:
    """Replaces the link at once, so that there is always one."""
    fresh = _RESULTS / ".latest"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(output.name)
    fresh.replace(_RESULTS / "latest")


def _minutes(seconds: float) -> str:
    if seconds >= 7200:
        return f"{seconds / 3600:.0f} hours"
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"


if __name__ == "__main__":
    sys.exit(main())
