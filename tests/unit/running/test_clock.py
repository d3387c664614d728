# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The clock of a tester: nobody waits here, its time is virtual."""

from __future__ import annotations

from itertools import count

import pytest

from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.clock import Clock

SECOND = Duration(10**9)


class Still:
    """A tester whose time passes in sleeps only."""

    now_ns = 0

    def advance(self, duration: Duration) -> None:
        self.now_ns += duration.ns


def test_it_waits_until_something_holds() -> None:
    tester = Still()
    assert Clock.of(tester).until(lambda: tester.now_ns >= 300_000_000, within=SECOND, every=0.1)
    assert tester.now_ns == 300_000_000


def test_it_waits_no_longer_than_it_may() -> None:
    tester = Still()
    assert not Clock.of(tester).until(lambda: False, within=SECOND, every=0.3)
    assert tester.now_ns == 1_200_000_000


def test_what_holds_at_once_needs_no_time() -> None:
    tester = Still()
    assert Clock.of(tester).until(lambda: True, within=Duration(0))
    assert tester.now_ns == 0


@pytest.mark.parametrize(("within", "last"), [(None, 7), (Duration(40_000_000), 2)])
def test_the_reading_is_the_first_that_holds_or_the_last_in_time(within: Duration | None, last: int) -> None:
    numbers = count()
    reading = Clock.of(Still()).reading(lambda: next(numbers), lambda number: number == 7, within=within)
    assert reading == last


def test_by_default_it_is_the_clock_of_this_machine() -> None:
    clock = Clock()
    began_ns = clock.now_ns()
    clock.sleep(0.001)
    assert clock.now_ns() - began_ns >= 1_000_000
