# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Gives up on more packets than a fake switch can have sent before its client stops waiting."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..session.switch import SwitchGone

_SOON_S = 2.0  # from then on its speed is known
_MOST_S = 50.0  # a client waits a little longer
_CHECKED = 256  # events from one look at the clock to the next


class Haste:
    """The work of one request: all that was due in the time since the one before it.

    Args:
        now_s: The clock by which it is late.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self.begin()

    def begin(self) -> None:
        """Begins with a request."""
        self._began_s, self._events, self._packets = self._now_s(), 0, 0

    def packet(self) -> None:
        """Counts a packet of a template."""
        self._packets += 1

    def event(self, due: Callable[[], int]) -> None:
        """Goes on after an event. `due` says how many packets templates are to send yet, about.

        Raises:
            SwitchGone: that takes too long.
        """
        self._events += 1
        if self._events % _CHECKED:
            return
        spent_s = self._now_s() - self._began_s
        if spent_s < _SOON_S:
            return
        left = due()
        if spent_s + (left * spent_s / self._packets if self._packets else 0) <= _MOST_S:
            return
        raise SwitchGone(
            f"a fake switch is too slow for this: it has sent {self._packets:,} packets in {spent_s:.0f} s, "
            f"and {left:,} more are due; give streams and clients a lower rate, such as 1 kpps, or a "
            "shorter time or fewer packets, or run this on a switch or testerd"
        )
