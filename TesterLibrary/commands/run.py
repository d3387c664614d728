# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester run`: runs a campaign, that is suites on testbeds, again and again in a time; or a job file."""

from __future__ import annotations

import argparse
import time
from datetime import datetime
from pathlib import Path

from ..errors import TesterLibraryError
from ..files.campaign import Campaign, load_campaign
from ..files.criteria import load_criteria
from ..files.document import Kind, read_document
from ..files.job import is_job_file, load_job
from ..files.job_run import job_campaign
from ..files.paths import resource
from ..files.profile import profile_values
from ..planning.prediction import predict
from ..reporting.place import EVIDENCE
from ..reporting.signature import load_private_key
from ..reporting.trend.address import Address
from ..testbeds import load_testbed
from ._certification import Certification, certification, rest_of
from ._command import command
from ._duration import duration
from ._execution import execute, link_latest
from ._live import LivePage, add_live
from ._trend_gate import TrendGate, worst
from ._verdicts import RESULTS

_MOST = 15  # tests on one screen
_DESCRIPTION = """
Runs a campaign: the suites, testbeds, repetitions and limits in a file (docs/nightly.md). It says beforehand
what it is going to run, and writes the reports of tester certify into one folder. A test for which the time
budget has no room is not begun: it is named, and INCONCLUSIVE. With a database, the tests of values that are
worse than those of the nights before are run once more, before they alarm. What is wrong in the file is said
with its line; then nothing is run.

A job file (docs/traffic.md) is run on its testbed, or on that of --testbed: its streams are sent for its
duration, and their loss is judged if it has a bound (loss: 0).

exit status:
   0  every test passed a verdict
   1  a test failed: measured, and out of bounds; or a value has become worse, and stayed so when it was
      measured again
   2  no test failed and none had an error, but of one the tester could not tell, or it was not run in time
   3  an error: in a suite or a file; a record is missing; the run was interrupted
   4  nothing else is wrong, but a test judged nothing
  64  the command line is wrong; nothing was run
"""


@command(
    "run",
    help="run a campaign (suites, testbeds, repetitions and limits from a file) or a job file of streams",
    description=_DESCRIPTION,
    formatter_class=argparse.RawDescriptionHelpFormatter,
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("campaign", metavar="FILE", type=Path, help="such as nightly.yaml")
    parser.add_argument(
        "--output", metavar="DIR", help="a new or empty folder, in place of that of the campaign"
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on with the run in that folder: tests that ended with a verdict are not run again. It is "
        "begun if there is none",
    )
    parser.add_argument("--testbed", metavar="TESTBED", help="of a job file: in place of its own testbed")
    parser.add_argument(
        "--duration", metavar="TIME", type=duration, help="of a job file: in place of its own"
    )
    parser.add_argument("--check", action="store_true", help="say what would be run, and run nothing")
    add_live(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    with LivePage(options.live) as page:
        return _run_campaign(options, page)


def _run_campaign(options: argparse.Namespace, page: LivePage) -> int:
    campaign = _loaded(options)
    _check(campaign)
    now = datetime.now()
    budget = campaign.time_budget
    ends_at = time.monotonic() + budget.seconds if budget else None
    given = options.output or campaign.output
    output = Path(now.strftime(given)) if given else RESULTS / now.strftime("%Y%m%d-%H%M%S")
    latest = RESULTS / "latest"
    if options.resume and not given and latest.exists():
        output = latest.resolve()
    key = load_private_key(Path(campaign.key)) if campaign.key else None
    run = certification(
        profile=campaign.profile,
        testbeds=campaign.testbeds,
        criteria=campaign.criteria,
        suites=list(map(str, campaign.suites)),
        output=output,
        variables=campaign.variables,
        include=campaign.include,
        exclude=campaign.exclude,
        tests=campaign.tests,
        repetitions=campaign.repetitions,
        time_budget_s=budget.seconds if budget else None,
        title=campaign.title,
    )
    if options.check:
        print(f"{_times(run, campaign)}, {len(tuple(run.items()))} tests on {' and '.join(_beds(run))}")
        return 0
    if options.resume and (output / EVIDENCE / "run.json").is_file():
        run = rest_of(run)
        left = run.again or ()
        tests = f"{_times(run, campaign)}, of which {len(left)} of {len(tuple(run.items()))} tests are left,"
    else:
        _refuse_taken(options, output, fixed=given == campaign.output and str(output) == given)
        left = run.begin()
        tests = f"{_times(run, campaign)}, {len(left)} tests"
        if not given:
            link_latest(run.output)
    page.begin(run.output)
    given = (("--output", options.output), ("--testbed", options.testbed), ("--duration", options.duration))
    go_on = " ".join((str(options.campaign), *(f"{name} {value}" for name, value in given if value)))
    done = execute(run, left, tests, go_on=f"tester run {go_on} --resume", most=_MOST, key=key)
    if not (campaign.database and done.finished):
        return done.status
    gate = TrendGate(campaign.database, ends_at)
    return worst([done.status, gate.status(run, most=_MOST)])


def _loaded(options: argparse.Namespace) -> Campaign:
    """The campaign of a file, or that which runs a job file."""
    if is_job_file(read_document(options.campaign, Kind("campaign", TesterLibraryError)).data):
        predict(load_job(str(options.campaign.absolute())), "engine")  # what cannot be planned is said now
        return job_campaign(options.campaign, options.testbed, options.duration)
    for name in ("testbed", "duration"):
        if getattr(options, name):
            raise TesterLibraryError(f"--{name} is for a job file of streams; a campaign has its own")
    return load_campaign(options.campaign)


def _refuse_taken(options: argparse.Namespace, output: Path, *, fixed: bool) -> None:
    """TesterLibraryError if the folder that the campaign names for each run has one already."""
    if fixed and output.is_dir() and any(output.iterdir()):
        raise TesterLibraryError(
            f"{output} is not empty, and output: of {options.campaign} names it for each run; give it signs "
            "of strftime, such as output: results/night-%Y%m%d-%H%M, or give another --output; --resume goes "
            "on with the run that is there"
        )


def _check(campaign: Campaign) -> None:
    """Reads every file that a campaign names. TesterLibraryError tells the line that names a wrong one."""
    document = campaign.document
    document.parsed(
        lambda name: profile_values(resource("criteria/profiles", name)), campaign.profile, ("profile",)
    )
    for number, testbed in enumerate(campaign.testbeds):
        document.parsed(load_testbed, testbed, ("testbeds", number))
    if campaign.criteria:
        document.parsed(
            lambda name: load_criteria(resource("criteria", name)), campaign.criteria, ("criteria",)
        )
    if campaign.database:
        document.parsed(Address.parse, campaign.database, ("database",))


def _times(run: Certification, campaign: Campaign) -> str:
    """`3 suites × 2 testbeds × 5 repetitions`."""
    suites = {item.suite.partition(".")[2] for item in run.items()}
    counts = (
        (len(suites), "suite"),
        (len(_beds(run)), "testbed"),
        (campaign.repetitions, "repetition"),
    )
    return " × ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts)


def _beds(run: Certification) -> list[str]:
    return list(dict.fromkeys(bed.testbed for bed in run.beds))
