# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester run`: runs a campaign, that is suites on testbeds, again and again in a time; or a job file."""

from __future__ import annotations

import argparse

from ..campaign.fleet.workers import LocalWorkers
from ..errors import TesterLibraryError
from ._campaign import add_campaign, loaded, run_campaign
from ._command import command
from ._duration import duration
from ._live import LivePage, add_live

_DESCRIPTION = """
Runs a campaign: the suites, testbeds, repetitions and limits in a file (docs/nightly.md). It says beforehand
what it is going to run, and writes the reports of tester certify into one folder. A test for which the time
budget has no room is not begun: it is named, and INCONCLUSIVE. With a database, the tests of values that are
worse than those of the nights before are run once more, before they alarm. What is wrong in the file is said
with its line; then nothing is run.

A campaign that names testers (docs/fleet.md) is run by all of them at a time, each driven from this machine;
tester campaign does that from the machines of a Ray cluster.

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
    add_campaign(parser)
    parser.add_argument("--testbed", metavar="TESTBED", help="of a job file: in place of its own testbed")
    parser.add_argument(
        "--duration", metavar="TIME", type=duration, help="of a job file: in place of its own"
    )
    add_live(parser)
    parser.set_defaults(run=_run, command="run")


def _run(options: argparse.Namespace) -> int:
    campaign = loaded(options)
    if campaign.fleet and options.live is not None:
        raise TesterLibraryError(
            "--live shows what one tester does, and this campaign names several; look at it by "
            "tester campaign FOLDER --status"
        )
    with LivePage(options.live) as page:
        return run_campaign(options, campaign, page, LocalWorkers)
