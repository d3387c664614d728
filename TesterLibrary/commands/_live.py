# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The option `--live`: serves a page of the run while it goes on, from a process of its own."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from types import TracebackType

from ..service.web.server import listen, url_of
from ..testbeds.processes import piped
from ..testbeds.python_process import python_command

_GREATEST_PORT = 65535
_END_S = 10.0  # for the process to end, after which it is killed


def add_live(parser: argparse.ArgumentParser) -> None:
    """Adds the option."""
    parser.add_argument(
        "--live",
        metavar="PORT",
        nargs="?",
        const=0,
        type=port,
        help="serve a page of the run on 127.0.0.1 while it goes on (docs/watch.md); write --live=8080 for a "
        "port of yours, otherwise it is a free one",
    )


def port(text: str) -> int:
    """The number of a port; 0: any that is free."""
    if text.isdecimal() and int(text) <= _GREATEST_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no port; give 0 to {_GREATEST_PORT}, 0 for a free one")


class LivePage:
    """The page of a run, which is served from `begin` until the end of the block; none without a port."""

    def __init__(self, wanted: int | None) -> None:
        """Takes the port at once, so that one in use is said before anything is run."""
        self._listening = None if wanted is None else listen(wanted)
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self, output: Path) -> None:
        """Serves the run in this folder, and prints where."""
        if self._listening is None:
            return
        file = self._listening.fileno()
        self._process = subprocess.Popen(
            python_command("TesterLibrary.service.watching", str(output), str(file)),
            pass_fds=[file],
            stdin=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the run
        )
        print(f"Live view: {url_of(self._listening)}", flush=True)

    def __enter__(self) -> LivePage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._listening is not None:
            self._listening.close()
        if self._process is None:
            return
        piped(self._process.stdin).close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
