# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The signals by which a command is asked to end: SIGINT and SIGTERM."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def asked_to_end(heard: Callable[[Sequence[int]], None]) -> Iterator[Sequence[int]]:
    """The signals that came so far, in a list that grows. `heard` is called with it after each."""
    received: list[int] = []

    def note(number: int, _: object) -> None:
        received.append(number)
        heard(received)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
