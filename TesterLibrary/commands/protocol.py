# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester protocol`: checks, shows and plans the tables of stateful protocols."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..errors import PlanError
from ..files import paths
from ..p4.build import check_programs
from ..planning.prediction import lower, targets
from ..planning.switch.match_action import MatchAction
from ..protocols.checker import check, load_protocol
from ..protocols.diagram import text
from ..protocols.loader import load_unchecked
from ..protocols.svg import svg
from ._command import command

_DESCRIPTION = """
Protocols are tables in YAML; docs/protocols.md explains how to write one. Exit status: 0, or 3 if something
is wrong with a file.
"""


@command("protocol", help="check, show and plan the tables of stateful protocols", description=_DESCRIPTION)
def _arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")
    named: dict[str, Any] = {"metavar": "FILE", "help": "a protocol file, or the name of a shipped one"}

    listing = actions.add_parser("list", help="those that come with the library")
    listing.set_defaults(run=_list)

    checking = actions.add_parser("check", help="say all that is wrong with files, with lines")
    checking.add_argument("files", nargs="+", **named)
    checking.set_defaults(run=_check)

    showing = actions.add_parser("show", help="a table as text, and as a picture of its states")
    showing.add_argument("file", **named)
    showing.add_argument("--svg", metavar="OUTPUT", type=Path, help="write the picture to this file")
    showing.set_defaults(run=_show)

    planning = actions.add_parser("plan", help="what a tester would be given of it, or what it lacks for it")
    planning.add_argument("file", **named)
    planning.add_argument("--target", choices=targets(), default="engine", help="default: engine")
    planning.add_argument("--json", action="store_true", help="all of it, for programs")
    planning.set_defaults(run=_plan)


def _list(_: argparse.Namespace) -> int:
    for name in paths.names("protocols"):
        protocol = load_unchecked(name)
        over = f" (over {protocol.over.name})" if protocol.over else ""
        print(f"{name:<16} {protocol.description}{over}")
    return 0


def _check(options: argparse.Namespace) -> int:
    wrong = []
    for name in options.files:
        protocol = load_unchecked(name)
        found = check(protocol)
        wrong += found
        if not found:
            rows = sum(len(layer.rows) for layer in protocol.layers)
            print(f"{protocol.path}: {rows} rows, {protocol.state_bits} bits for a flow: good")
    if wrong:
        raise PlanError("\n".join(map(str, wrong)))
    return 0


def _show(options: argparse.Namespace) -> int:
    protocol = load_protocol(options.file)
    print(text(protocol))
    if options.svg:
        try:
            options.svg.write_text(svg(protocol), encoding="utf-8")
        except OSError as problem:
            raise PlanError(f"{options.svg} cannot be written: {problem.strerror}") from problem
    return 0


def _plan(options: argparse.Namespace) -> int:
    plan = lower(load_protocol(options.file), options.target)
    if isinstance(plan, MatchAction):
        check_programs([plan])
    print(json.dumps(plan.record(), indent=2) if options.json else plan.summary())
    return 0
