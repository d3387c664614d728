# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the campaign of a file: on this machine, or on the testers that it names."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from ..campaign.campaign_file import Campaign, load_campaign
from ..campaign.certification import Certification
from ..campaign.certification_arguments import certification
from ..campaign.execution import add_inconclusive, execute, link_latest, undecided
from ..campaign.fleet.fleet import Fleet, fleet_of
from ..campaign.fleet.runner import FleetRunner
from ..campaign.fleet.workers import Workers
from ..campaign.job_campaign import job_campaign
from ..campaign.resume import rest_of
from ..campaign.run_lock import alone
from ..campaign.trend_gate import TrendGate, worst
from ..campaign.verdict_lines import RESULTS
from ..errors import TesterLibraryError
from ..files.criteria import load_criteria
from ..files.document import Document, Kind, read_document
from ..files.job import is_job_file, load_job
from ..files.paths import resource
from ..files.profile import profile_values
from ..model.units.number import counted
from ..planning.prediction import predict
from ..reporting.pages.signature import load_private_key
from ..reporting.record.long_name import below_testbed
from ..reporting.record.record_place import EVIDENCE
from ..reporting.trend.address import Address
from ..testbeds import Testbed, load_testbed
from ._live import LivePage

_MOST = 15  # tests on one screen


def add_campaign(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments that each command has that runs a campaign."""
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
    add_inconclusive(parser)
    parser.add_argument("--check", action="store_true", help="say what would be run, and run nothing")


def run_campaign(
    options: argparse.Namespace,
    campaign: Campaign,
    page: LivePage,
    workers: Callable[[Collection[str]], Workers],
) -> int:
    """Runs a campaign as a command asks for it. Returns the exit status.

    Args:
        options: Of the command; those of `add_campaign` and others that `--resume` has to repeat.
        campaign: The content of its file.
        page: Shows it while it goes on.
        workers: Makes those who run tasks on these testers, if the campaign names testers.
    """
    if options.inconclusive and not options.resume:
        raise TesterLibraryError("--inconclusive goes with --resume")
    _check(campaign)
    fleet = fleet_of(campaign) if campaign.fleet else None
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
        testbeds=fleet.testbeds if fleet else campaign.testbeds,
        criteria=campaign.criteria,
        suites=list(map(str, campaign.suites)),
        output=output,
        variables=campaign.variables,
        include=campaign.include,
        exclude=campaign.exclude,
        tests=campaign.tests,
        sizes=campaign.sizes,
        repetitions=campaign.repetitions,
        time_budget_s=budget.seconds if budget else None,
        title=campaign.title,
    )
    runner = FleetRunner(fleet, workers) if fleet else None
    run = replace(run, by=runner, status=options.events)
    if runner:
        runner.check(run)
    text = _times(run, campaign, fleet)
    if options.check:
        run.check()
        if runner:
            runner.check_services()
        print(f"{text}, {counted(len(tuple(run.items())), 'test')} on {' and '.join(_beds(run))}")
        return 0
    with ExitStack() as held:
        if runner:
            held.enter_context(runner)
        if options.resume and (output / EVIDENCE / "run.json").is_file():
            held.enter_context(alone(output))
            run = rest_of(run, inconclusive=options.inconclusive)
            left = run.again or ()
            tests = (
                f"{text}, of which {len(left)} of {len(run.known_items())} tests are left{undecided(run)},"
            )
        else:
            _refuse_taken(options, output, fixed=given == campaign.output and str(output) == given)
            left = run.begin()
            held.enter_context(alone(run.output))
            tests = f"{text}, {counted(len(left), 'test')}"
            if not given:
                link_latest(run.output)
        page.begin(run.output)
        more = {name: getattr(options, name, None) for name in ("output", "testbed", "duration", "address")}
        go_on = " ".join(
            (str(options.campaign), *(f"--{name} {value}" for name, value in more.items() if value))
        )
        done = execute(
            run, left, tests, go_on=f"tester {options.command} {go_on} --resume", most=_MOST, key=key
        )
        if not (campaign.database and done.finished):
            return done.status
        gate = TrendGate(campaign.database, ends_at)
        return worst([done.status, gate.status(run, most=_MOST)])


def loaded(options: argparse.Namespace) -> Campaign:
    """The campaign of a file, or that which runs a job file."""
    if is_job_file(read_document(options.campaign, Kind("campaign", TesterLibraryError)).data):
        if options.testbed:
            load_testbed(options.testbed)  # what is wrong with it is not the file's
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
    if is_job_file(document.data):
        _check_ports(document, document.parsed(load_testbed, campaign.testbeds[0], ("testbed",)))
    else:
        for number, testbed in enumerate(campaign.testbeds):
            document.parsed(load_testbed, testbed, ("testbeds", number))
    if campaign.criteria:
        document.parsed(
            lambda name: load_criteria(resource("criteria", name)), campaign.criteria, ("criteria",)
        )
    if campaign.database:
        document.parsed(Address.parse, campaign.database, ("database",))


def _check_ports(document: Document, testbed: Testbed) -> None:
    """Streams of a job file are sent by ports of the testbed, whatever ports the file was planned for."""
    known = [port.name for port in testbed.ports]
    for number, stream in enumerate(document.data.get("streams", ())):
        for end in ("tx", "rx"):
            if end in stream and stream[end] not in known:
                raise document.error(
                    ("streams", number, end),
                    f"{stream[end]!r} is no port of the testbed {testbed.name!r}; it has {', '.join(known)}",
                )


def _times(run: Certification, campaign: Campaign, fleet: Fleet | None) -> str:
    """`3 suites × 2 testbeds × 5 repetitions`, and the number of testers of a fleet."""
    suites = {below_testbed(item.suite, item.testbed) for item in run.items()}
    counts = (
        (len(suites), "suite"),
        (len(_beds(run)), "testbed"),
        (campaign.repetitions, "repetition"),
    )
    text = " × ".join(counted(count, noun) for count, noun in counts)
    return f"{text} by {counted(len(fleet.testers), 'tester')}" if fleet else text


def _beds(run: Certification) -> list[str]:
    return list(dict.fromkeys(bed.testbed for bed in run.beds))
