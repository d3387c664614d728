# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester campaign`: runs a campaign on the testers that it names, from the machines of a Ray cluster."""

from __future__ import annotations

import argparse

from ..campaign.campaign_file import load_campaign
from ..campaign.fleet.over_ray import RayWorkers
from ..campaign.fleet.status import status
from ..errors import TesterLibraryError
from ._campaign import add_campaign, run_campaign
from ._command import command
from ._live import LivePage

_DESCRIPTION = """
Runs a campaign on the testers that its file names (docs/fleet.md), each from the machine of a Ray cluster
that has the resource tester:NAME; without an address, Ray is started on this machine for it.
A cell is a suite on a testbed in one repetition. What a tester does not finish, since it broke or its lease,
its worker or its machine was lost, is run by another one that fits; a verdict is never measured again.
Reports are those of tester run, which runs the same file on this machine without Ray.

exit status: that of tester run, and 0 for --status
"""


@command(
    "campaign",
    help="run a campaign on the testers of a fleet, over Ray",
    description=_DESCRIPTION,
    formatter_class=argparse.RawDescriptionHelpFormatter,
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    add_campaign(parser)
    parser.add_argument(
        "--address", metavar="HOST:PORT", help="of the head of a Ray cluster; left out: one of this machine"
    )
    parser.add_argument(
        "--status",
        action="store_true",
        help="say how far a campaign is, cell by cell; FILE is the folder of its run",
    )
    parser.set_defaults(run=_run, command="campaign")


def _run(options: argparse.Namespace) -> int:
    if options.status:
        print(status(options.campaign), end="")
        return 0
    campaign = load_campaign(options.campaign)
    if campaign.fleet is None:
        raise TesterLibraryError(
            f"{options.campaign} names no testers, so there is nothing to be shared out; name them "
            "(docs/fleet.md), or run it on this machine by tester run"
        )
    with LivePage(None) as page:
        return run_campaign(options, campaign, page, lambda testers: RayWorkers(testers, options.address))
