# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester lease`: who may use a tester that runs on its own, and how it changes hands."""

from __future__ import annotations

import argparse
from contextlib import closing

from ..campaign.end_signals import End
from ..model.units.units import Duration
from ..targets.engine.owner import OWNER
from ..targets.parts import LeaseTerms
from ._command import command
from ._duration import duration
from ._running_tester import running_tester

_SHORT = Duration(10 * 10**9)


@command("lease", help="show who may use a tester, hold it, or end the lease of somebody else")
def _arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")
    show = actions.add_parser("show", help="show who has the tester, since when and until when")
    hold = actions.add_parser("hold", help="keep the tester until Ctrl-C, so that nobody else can use it")
    end = actions.add_parser("release", help="end the lease of somebody else, and all that runs there")
    for parser_of, run in ((show, _show), (hold, _hold), (end, _release)):
        parser_of.add_argument("testbed", help="name or file of a testbed whose tester has an address")
        parser_of.set_defaults(run=run)
    for parser_of in (hold, end):
        parser_of.add_argument(
            "--force", action="store_true", help="also if somebody has it; the tester logs who did that"
        )
        parser_of.add_argument("--owner", default=OWNER, help=f"who asks for it (default: {OWNER})")
    hold.add_argument(
        "--lease", type=duration, default=_SHORT, help="kept so long after the end (default: 10 s)"
    )


def _show(options: argparse.Namespace) -> int:
    with closing(running_tester(options.testbed)) as target:
        holder = target.leases.holder()
        print(f"leased to {holder}" if holder else "free: nobody has a lease")
    return 0


def _hold(options: argparse.Namespace) -> int:
    end = End()
    with closing(running_tester(options.testbed)) as target:
        taken_from = target.leases.acquire(LeaseTerms(options.owner, options.lease, options.force))
        if taken_from:
            print(f"taken over from {taken_from}")
        print(f"leased to {target.leases.holder()}; Ctrl-C releases it", flush=True)
        while not (ended := end.wait(0.2)) and target.leases.is_kept:
            pass
        if not ended:
            print(f"lost: the tester is leased to {target.leases.holder() or 'nobody'}")
    return 0 if ended else 1


def _release(options: argparse.Namespace) -> int:
    with closing(running_tester(options.testbed)) as target:
        holder = target.leases.holder()
        if holder is None:
            print("free: nobody has a lease")
            return 0
        if not options.force:
            print(f"leased to {holder}; --force ends it, and all that runs there")
            return 1
        target.leases.acquire(LeaseTerms(options.owner, _SHORT, force=True))
        print(f"ended the lease of {holder}")
    return 0
