# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The ring of linux/if_packet.h (TPACKET_V2), as the kernel leaves it."""

from __future__ import annotations

import struct
import time

import pytest

from benchmarks.harness import stamps

SLOT, MAC = 128, 66
USER, STAMPED = 1, 1 << 29


def _slot(seconds: int, nanoseconds: int, *, status: int = USER | STAMPED, protocol: int = 17) -> bytes:
    header = struct.pack("=IIIHHII", status, 60, 60, MAC, MAC + 14, seconds, nanoseconds)
    return (header.ljust(MAC, b"\0") + bytes(23) + bytes([protocol])).ljust(SLOT, b"\0")


def test_stamps_are_read_until_the_first_free_slot() -> None:
    ring = _slot(1, 5) + _slot(2, 999_999_999) + bytes(2 * SLOT)
    assert list(stamps.stamps(ring)) == [1_000_000_005, 2_999_999_999]


def test_what_is_not_udp_is_not_looked_at() -> None:
    ring = _slot(1, 0) + _slot(0, 0, status=USER, protocol=6) + _slot(1, 7) + bytes(SLOT)
    assert list(stamps.stamps(ring)) == [10**9, 10**9 + 7]


def test_a_full_ring_has_the_first_frames() -> None:
    assert list(stamps.stamps(_slot(1, 5) + _slot(1, 8))) == [10**9 + 5, 10**9 + 8]


def test_a_stamp_that_is_not_of_the_arrival_is_refused() -> None:
    with pytest.raises(OSError, match="does not stamp"):
        list(stamps.stamps(_slot(1, 5, status=USER) + bytes(SLOT)))


def test_times_are_of_the_clock_that_nobody_adjusts() -> None:
    first, last = (10**18, 500), (10**18 + 1_000_100, 1_000_500)  # CLOCK_REALTIME runs 100 ppm fast
    real = iter([10**18, 10**18 + 500_050, 10**18 + 1_000_100])
    assert list(stamps.raw(real, first, last)) == [500, 500_500, 1_000_500]


def test_a_clock_that_was_set_is_told() -> None:
    with pytest.raises(OSError, match="CLOCK_REALTIME was set"):
        stamps.raw(iter([]), (0, 0), (3_600_000_000_000, 1_000_000_000))


def test_an_instant_is_the_same_on_both_clocks() -> None:
    before = time.time_ns(), time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    at = stamps.instant()
    after = time.time_ns(), time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    assert before[0] <= at[0] <= after[0]
    assert before[1] <= at[1] <= after[1]
