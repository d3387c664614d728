# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester mcp`: the tools of an assistant, over its standard input and output."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ..assistants.leased_place import LeasedPlace
from ..campaign.verdict_lines import RESULTS
from ..errors import TesterLibraryError
from ._command import STATUS_HELP, command

_TOKEN = "TESTER_TOKEN"
_DESCRIPTION = f"""
Gives an assistant eight tools over the Model Context Protocol: read the documentation, check and plan, run on
simulated and embedded testbeds, and explain verdicts (docs/assistants.md). It is started by the assistant's
program, and speaks on its standard input and output. Nothing is sent on a real port without a lease: a person
leases a place of tester serve and gives --service and --lease, with the token in {_TOKEN}.
"""


@command(
    "mcp",
    help="tools for an assistant, over the Model Context Protocol",
    description=_DESCRIPTION + STATUS_HELP,
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        default=RESULTS / "assistant",
        help="where runs are kept (default: %(default)s)",
    )
    parser.add_argument("--service", metavar="URL", default="", help="of tester serve")
    parser.add_argument("--lease", metavar="ID", default="", help="of a place of that service")
    parser.set_defaults(run=_mcp)


def _mcp(options: argparse.Namespace) -> int:
    try:
        from ..assistants.server import serve
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] != "mcp":
            raise
        raise TesterLibraryError(
            "tester mcp needs the package mcp: pip install 'robotframework-testerlibrary[mcp]'"
        ) from None
    serve(options.output.resolve(), _leased(options))
    return 0


def _leased(options: argparse.Namespace) -> LeasedPlace | None:
    if not options.service and not options.lease:
        return None
    token = os.environ.get(_TOKEN, "")
    if not (options.service and options.lease and token):
        raise TesterLibraryError(f"a lease needs all of --service, --lease, and the token in {_TOKEN}")
    return LeasedPlace(options.service, options.lease, token)
