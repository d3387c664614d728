# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester otg`: a testbed as an Open Traffic Generator, for clients such as snappi."""

from __future__ import annotations

import argparse
import os
import socket
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..campaign.child_status import StatusWriter
from ..campaign.end_signals import End
from ..errors import TesterLibraryError, UnitError
from ..model.units.units import Duration
from ._command import command

if TYPE_CHECKING:
    from ..running.opening import OpenTestbed

_DESCRIPTION = """
Serves a testbed as an Open Traffic Generator on this machine's loopback interface, until Ctrl-C: HTTP and
HTTPS on one port, gRPC on another, each of them a UNIX socket if a path is given. docs/otg.md has what is
supported. What is measured is recorded in RESULTS.
"""


@command("otg", help="serve a testbed to Open Traffic Generator clients (snappi)", description=_DESCRIPTION)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("testbed", metavar="TESTBED", help="name or file of a testbed")
    parser.add_argument(
        "--http", type=_port, default=8443, metavar="PORT", help="default: 8443; 0: a free one; or a path"
    )
    parser.add_argument(
        "--grpc", type=_port, default=40051, metavar="PORT", help="default: 40051; 0: a free one; or a path"
    )
    parser.add_argument(
        "--location",
        type=_location,
        action="append",
        default=[],
        metavar="TEXT=PORT",
        help="what clients call a port of the testbed, such as localhost:5555=p1, besides its own name",
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("results/otg"),
        help="folder of the records (default: results/otg)",
    )
    parser.add_argument("--lease", type=_time, help="as lease= of Open Tester")
    parser.add_argument("--owner", help="as owner= of Open Tester")
    parser.add_argument("--force", action="store_true", help="takes the tester over from whoever has it")
    parser.set_defaults(run=_run)


def _port(text: str) -> int | Path:
    if "/" in text:
        return Path(text)
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no port; give 0 to 65535, or the path of a UNIX socket, with a /"
        )
    return int(text)


def _location(text: str) -> tuple[str, str]:
    location, sign, port = text.rpartition("=")
    if not (location and sign and port):
        raise argparse.ArgumentTypeError(f"{text!r}: give a location and a port, such as localhost:5555=p1")
    return location, port


def _time(text: str) -> Duration:
    try:
        return Duration.parse(text)
    except UnitError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _run(options: argparse.Namespace) -> int:
    from ..reporting.record.progress import Console  # these take long to load
    from ..reporting.record.recorder import Recorder
    from ..running.opening import LeaseWish, open_tester

    try:
        from ..service.otg.serving import ADDRESS, serve_otg
    except ImportError as missing:
        raise TesterLibraryError(
            f"tester otg needs {missing.name}: install robotframework-testerlibrary[otg]"
        ) from None
    for port in (options.http, options.grpc):
        _check_free(ADDRESS, port)
    end = End()
    wish = LeaseWish(options.lease, options.owner, options.force)
    recorder, console = Recorder(options.results / "evidence"), Console()
    with closing(
        open_tester(options.testbed, seed=1, recorder=recorder, progress=console, lease=wish)
    ) as opened:
        locations = dict(options.location)
        with serve_otg(
            opened,
            http=options.http,
            grpc=options.grpc,
            locations=locations,
            told=_tell,
            refused=partial(_tell_parent, options.events),
        ) as ports:
            print(f"{opened.name}: {', '.join(_described(opened, locations))}")
            reached = f"https://{ADDRESS}:{ports.http}" if ports.http else f"https at {options.http}"
            remote = f"{ADDRESS}:{ports.grpc}" if ports.grpc else f"unix:{options.grpc}"
            print(f"{reached} (http, too), gRPC {remote}; Ctrl-C ends", flush=True)
            options.events.tell("ready")
            end.wait()
    return 0


def _check_free(address: str, port: int | Path) -> None:
    """TesterLibraryError if somebody listens there: before a tester is opened, which begins new records."""
    if isinstance(port, int) and port:
        try:
            socket.create_server((address, port)).close()
        except OSError as problem:
            why = os.strerror(problem.errno or 0)
            raise TesterLibraryError(
                f"{address}:{port} cannot be had: {why}; end what listens there, or give --http and --grpc "
                "other ports"
            ) from None


def _tell(text: str) -> None:
    print(text, flush=True)


def _tell_parent(parent: StatusWriter, status: int, call: str, error: str) -> None:
    parent.tell("refused", status=status, call=call, error=error)


def _described(opened: OpenTestbed, locations: dict[str, str]) -> list[str]:
    """The ports, and how clients may call them."""
    return [
        " or ".join(dict.fromkeys((name, *(text for text, port in locations.items() if port == name))))
        for name in opened.tester.ports
    ]
