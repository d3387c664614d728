# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester watch`: serves a page of a run, while it goes on or later."""

from __future__ import annotations

import argparse
import ipaddress
import webbrowser
from pathlib import Path

from ..campaign.end_signals import End
from ..campaign.verdict_lines import RESULTS
from ..errors import TesterLibraryError
from ..reporting.pages.rebuild import evidence_of
from ..reporting.record.record_place import EVIDENCE
from ..service.watching import watched
from ..service.web.server import LOOPBACK, listen, url_of
from ._command import STATUS_HELP, command
from ._live import port

_DESCRIPTION = """
Serves a page of a run that goes on, or of one that is over: tests, verdicts, rates, loss, delay and log,
until Ctrl-C (docs/watch.md). It only reads the files of the run.
"""


@command(
    "watch",
    help="serve a page of a run, while it goes on or later",
    description=_DESCRIPTION + STATUS_HELP,
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directory",
        metavar="RUN",
        type=Path,
        nargs="?",
        default=RESULTS / "latest",
        help="the folder of a run (default: results/latest)",
    )
    parser.add_argument("--port", type=port, default=0, metavar="PORT", help="(default: 0, one that is free)")
    parser.add_argument(
        "--address",
        default=LOOPBACK,
        help="an address of this machine; everybody who reaches it can read the page (default: 127.0.0.1)",
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.set_defaults(run=_watch)


def _watch(options: argparse.Namespace) -> int:
    if not options.directory.is_dir():
        raise TesterLibraryError(f"there is no folder {options.directory}; give that of a run")
    output = options.directory.resolve()
    evidence = evidence_of(output)
    if not (evidence / "run.json").is_file():
        raise TesterLibraryError(
            f"{options.directory} is no run: neither it nor a folder {EVIDENCE!r} in it has a run.json"
            if evidence == output
            else f"{options.directory} is no run: its folder {evidence.name!r} has no run.json"
        )
    try:
        ipaddress.ip_address(options.address)
    except ValueError:
        raise TesterLibraryError(
            f"--address {options.address!r} is no address; give one such as {LOOPBACK}"
        ) from None
    end = End()
    with listen(options.port, options.address) as listening:
        url = url_of(listening)
        with watched(output, evidence, listening):
            print(f"{options.directory}: {url} (Ctrl-C ends it)", flush=True)
            if options.open and not webbrowser.open(url):
                print("no browser can be opened here; open the address yourself", flush=True)
            end.wait()
    return 0
