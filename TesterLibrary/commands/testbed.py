# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester testbed`: lists testbeds, and removes what a killed run left of one."""

from __future__ import annotations

import argparse

from ..targets.engine.leftovers import restore_interfaces
from ..targets.engine.runtime import clean_runtime_directories
from ..testbeds import clean_stale, list_testbeds, load_testbed, shipped_testbeds
from ._command import command


@command("testbed", help="list testbeds, or remove what a killed runs left of them")
def _arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="those that come with the library, and those that are open now")
    listing.set_defaults(run=_list)
    cleaning = actions.add_parser(
        "clean", help="end testbeds of killed runs, remove their folders, and restore interfaces"
    )
    cleaning.set_defaults(run=_clean)


def _list(_: argparse.Namespace) -> int:
    for name, path in shipped_testbeds().items():
        print(f"{name:<24} {load_testbed(str(path)).description}")
    for open_now in list_testbeds():
        print(f"open: {open_now}")
    return 0


def _clean(_: argparse.Namespace) -> int:
    removed = [*clean_stale(), *clean_runtime_directories()]
    for left in removed:
        print(f"removed: {left}")
    restored = restore_interfaces()
    for line in restored:
        print(f"restored: {line}")
    if not removed and not restored:
        print("There was nothing to remove.")
    return 0
