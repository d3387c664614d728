# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The signals by which a command is asked to end: SIGINT and SIGTERM."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, SimpleQueue


class End:
    """Waits for SIGINT or SIGTERM.

    An event would not do: a second signal interrupts the handler of the first, which holds its lock.
    """

    def __init__(self) -> None:
        """Takes the signals from now on, to the end of the process."""
        self._heard = SimpleQueue[int]()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: self._heard.put(number))

    def wait(self, seconds: float | None = None) -> bool:
        """Whether one came in this time; without a time it waits for one."""
        try:
            self._heard.get(timeout=seconds)
        except Empty:
            return False
        return True


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
