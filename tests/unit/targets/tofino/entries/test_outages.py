# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The longest outage of a stream from registers whose times wrap after 36 minutes."""

from __future__ import annotations

from fractions import Fraction

import pytest

from TesterLibrary.measurement.snapshot import OutageCounters
from TesterLibrary.targets.tofino.entries.outages import WRAP_NS, LongestOutage, OutageRegisters

SECOND = 10**9
RATE = Fraction(1000)
STARTED_NS = 77 * SECOND


def registers(since_ns: int, length_ns: int, frames: int = 5) -> OutageRegisters:
    """Registers with an outage so long after the first frame, which came a little before times wrap."""
    first = (1 << 32) - 7
    return OutageRegisters(first, 0, length_ns >> 9, (first + (since_ns >> 9)) % (1 << 32), frames, 900)


def counted(
    longest: LongestOutage, found: OutageRegisters, now_ns: int, missing: int = 5
) -> OutageCounters | None:
    return longest.counters(found, STARTED_NS, STARTED_NS + now_ns, missing, RATE)


def test_without_an_outage_there_is_none_and_what_nobody_counts_is_absent() -> None:
    assert counted(LongestOutage(), OutageRegisters(first=9), SECOND) == OutageCounters(
        None, None, None, within_ns=1024
    )


def test_an_outage_has_its_length_its_begin_and_its_loss() -> None:
    found = counted(LongestOutage(), registers(3 * SECOND, 1024 * 1000), 4 * SECOND)
    assert found is not None
    assert (found.longest_ns, found.longest_lost, found.last_sequence) == (1024 * 1000, 5, 900)
    assert 0 <= STARTED_NS + 3 * SECOND - found.longest_start_ns < 512
    assert (found.count, found.total_ns, found.lost, found.within_ns) == (None, None, None, 1024)


def test_one_shorter_than_a_step_is_still_one() -> None:
    found = counted(LongestOutage(), registers(SECOND, 0, frames=1), 2 * SECOND)
    assert found is not None
    assert (found.longest_ns, found.longest_lost) == (1, 1)


@pytest.mark.parametrize("wraps", [0, 1, 5])
def test_an_outage_begins_where_it_was_first_seen_however_long_the_run(wraps: int) -> None:
    longest, began_ns = LongestOutage(), wraps * WRAP_NS + 40 * SECOND
    found = registers(began_ns, SECOND)
    first = counted(longest, found, began_ns + 2 * SECOND)
    much_later = counted(longest, found, began_ns + 3 * WRAP_NS)
    assert first == much_later
    assert first is not None
    assert abs(first.longest_start_ns - STARTED_NS - began_ns) < 512


@pytest.mark.parametrize(("missing", "known"), [(2_199_000, True), (2_199_100, False)])
def test_an_outage_that_may_have_wrapped_is_absent(missing: int, known: bool) -> None:
    """At 1,000 frames a second 2,199,023 are sent in 36.65 minutes."""
    found = counted(LongestOutage(), registers(SECOND, SECOND), 3 * WRAP_NS, missing)
    assert (found is not None) == known


@pytest.mark.parametrize("wraps", [0, 1, 5])
@pytest.mark.parametrize("off_s", [-1000, 0, 1000])
def test_the_last_frame_came_near_where_its_time_is_looked_for(wraps: int, off_s: int) -> None:
    first, came_ns = (1 << 32) - 7, wraps * WRAP_NS + 40 * SECOND
    found = OutageRegisters(first, (first + (came_ns >> 9)) % (1 << 32))
    last_ns = found.last_ns(STARTED_NS, STARTED_NS + came_ns + off_s * SECOND)
    assert 0 <= STARTED_NS + came_ns - last_ns < 512
