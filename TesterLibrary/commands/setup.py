# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester setup`: prepares this machine as a tester, and takes that back."""

from __future__ import annotations

import argparse

from ..files import paths
from ..testbeds.machine_setup import MachineSetup, check_machine
from ._command import command


@command(
    "setup",
    help="prepare this machine: packages of embedded devices, testerd without root, huge pages",
    description="Installs the system packages that embedded devices under test need. With --group, "
    "members of a group may run testerd without root; with --huge-pages, memory is reserved for it. "
    "It says what it does, asks nothing, and takes all back with --undo.",
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--group", default="", metavar="NAME", help="users who may send traffic; made if it is not there"
    )
    parser.add_argument(
        "--huge-pages",
        type=int,
        default=0,
        metavar="NUMBER",
        help="huge pages, reserved now and at each boot",
    )
    parser.add_argument("--undo", action="store_true", help="take back what earlier calls have changed")
    parser.set_defaults(run=_setup)


def _setup(options: argparse.Namespace) -> int:
    check_machine()
    machine = MachineSetup()
    if options.undo:
        lines = machine.undo()
    else:
        lines = machine.apply(paths.engine(), options.group, options.huge_pages)
    for line in lines:
        print(line, flush=True)
    return 0
