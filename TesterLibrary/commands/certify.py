# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester certify`: runs suites on testbeds and writes the reports."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from ..campaign.certification_arguments import certification
from ..campaign.execution import add_inconclusive, execute, link_latest, undecided
from ..campaign.frame_sizes import frame_sizes, name_of_test
from ..campaign.resume import resumed
from ..campaign.run_lock import alone
from ..campaign.verdict_lines import RESULTS
from ..errors import ChoiceError
from ..files import paths
from ..model.units.number import counted
from ..reporting.pages.signature import load_private_key
from ..reporting.record.outcome import WRONG_COMMAND_LINE
from ._command import command
from ._live import LivePage, add_live

_PROFILE = "quick"
_DESCRIPTION = """
Runs the suites on one testbed after another and writes one set of reports: output.xml, log.html,
report.html, certificate.html, allure-report/index.html, junit.xml, summary.md (for merge requests),
events.csv, certificate.json, and the evidence they are made from.

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
    parser.add_argument(
        "--criteria",
        metavar="FILE",
        help="bounds for the devices of all testbeds given (default: of lab.yaml those of lab-criteria.yaml "
        "beside it)",
    )
    parser.add_argument(
        "--suite",
        action="append",
        default=[],
        metavar="PATH",
        help="a .robot file or a folder of them; can be given several times (default: those of the profile)",
    )
    parser.add_argument(
        "--variable",
        action="append",
        type=_variable,
        default=[],
        metavar="NAME:VALUE",
        help="a variable of the suites; can be given several times",
    )
    parser.add_argument(
        "--include", action="append", default=[], metavar="TAG", help="only tests with this tag, as of robot"
    )
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="TAG", help="no tests with this tag, as of robot"
    )
    parser.add_argument(
        "--test", action="append", default=[], metavar="NAME", help="only tests of this name, as of robot"
    )
    parser.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="SIZE",
        help="only tests of this frame size, which are made where suites lack them: 9018, imix, or "
        "64-1518/128 for each 128 bytes; can be given several times",
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        help="a new or empty folder (default: results/<time>, linked as results/latest)",
    )
    parser.add_argument(
        "--key", metavar="FILE", type=Path, help="an Ed25519 private key in PEM, which signs the certificate"
    )
    parser.add_argument(
        "--resume",
        metavar="DIR",
        help="the folder of an interrupted run, such as results/latest; with no other option but --key, "
        "--live and --inconclusive",
    )
    add_inconclusive(parser)
    add_live(parser)
    parser.set_defaults(run=_certify)


def _certify(options: argparse.Namespace) -> int:
    try:
        return _resume(options) if options.resume else _begin(options)
    except ChoiceError as error:
        print(f"tester: {error}", file=sys.stderr)
        options.events.tell("error", text=str(error))
        return WRONG_COMMAND_LINE


def _begin(options: argparse.Namespace) -> int:
    if options.inconclusive:
        raise ChoiceError("--inconclusive goes with --resume")
    now = datetime.now().strftime("%Y%m%d-%H%M%S")
    output = Path(options.output) if options.output else RESULTS / now
    chosen = certification(
        profile=options.profile,
        testbeds=options.testbed,
        criteria=options.criteria,
        suites=options.suite,
        output=output,
        variables=dict(options.variable),
        include=options.include,
        exclude=options.exclude,
        tests=_tests(options),
        sizes=_sizes(options),
    )
    run = replace(chosen, status=options.events)
    key = load_private_key(options.key) if options.key else None
    with LivePage(options.live) as page:
        items = run.begin()
        if not options.output:
            link_latest(run.output)
        page.begin(run.output)
        with alone(run.output):
            return execute(run, items, counted(len(items), "test"), go_on=_go_on(run.output), key=key).status


def _resume(options: argparse.Namespace) -> int:
    chosen = (options.variable, options.include, options.exclude, _tests(options))
    others = (options.testbed, options.criteria, options.suite, options.output, *chosen)
    if any(others) or options.profile != _PROFILE:
        raise ChoiceError(
            "--resume goes on with the run as it was begun; give no other option but --key, --live and "
            "--inconclusive"
        )
    key = load_private_key(options.key) if options.key else None
    output = Path(options.resume).resolve()
    with LivePage(options.live) as page, alone(output) if output.is_dir() else nullcontext():
        run = replace(resumed(output, inconclusive=options.inconclusive), status=options.events)
        items = run.again or ()
        page.begin(run.output)
        tests = f"{len(items)} of {len(run.known_items())} tests are left{undecided(run)}"
        return execute(run, items, tests, go_on=_go_on(run.output), key=key).status


def _tests(options: argparse.Namespace) -> list[str]:
    """The names of the tests that are chosen: as given, and those of the frame sizes that are given."""
    return [*options.test, *map(name_of_test, _sizes(options))]


def _sizes(options: argparse.Namespace) -> list[str]:
    return [size for text in options.size for size in frame_sizes(text)]


def _go_on(output: Path) -> str:
    return f"tester certify --resume {output}"


def _variable(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not (name and colon):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME:VALUE")
    return name, value
