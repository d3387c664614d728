# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of a run as a whole: its files are followed, and served."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .feed import Feed
from .follow import Follower
from .server import Server


@contextmanager
def watched(output: Path, evidence: Path, listening: socket.socket) -> Iterator[None]:
    """Follows a run and serves its page meanwhile; open pages are told at the end that this is all."""
    feed = Feed()
    follower, server = Follower(output, evidence, feed), Server(listening, feed, output)
    follower.start()
    server.start()
    try:
        yield
    finally:
        follower.stop()
        server.stop()
