# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The longest outage of a stream, as the switch measures it (p4/controls/outages.p4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ...measurement.snapshot import OutageCounters

_UNIT_NS = 512
_STEP_NS = 2 * _UNIT_NS  # times are odd
WRAP_NS = _UNIT_NS << 32  # of these times


@dataclass(frozen=True)
class OutageRegisters:
    """The registers of a stream; times are in units of 512 ns, modulo 2^32."""

    first: int = 0  # when the first frame arrived
    last: int = 0
    length: int = 0
    since: int = 0
    frames: int = 0  # 0: there was no outage
    before: int = 0  # the number behind the last frames that were skipped

    def last_ns(self, first_ns: int, near_ns: int) -> int:
        """When the last frame arrived, on the driver's clock.

        Args:
            first_ns: When the first one arrived.
            near_ns: A time within 18 minutes of the last one.
        """
        at_ns = first_ns + (self.last - self.first) % (1 << 32) * _UNIT_NS
        return at_ns + (near_ns - at_ns + WRAP_NS // 2) // WRAP_NS * WRAP_NS


@dataclass
class LongestOutage:
    """The longest outage of a stream, whose begin is told from the wraps of times when it is first seen."""

    _seen: OutageRegisters = field(default_factory=OutageRegisters)
    _start_ns: int = 0

    def counters(
        self, found: OutageRegisters, first_ns: int, now_ns: int, missing: int, rate: Fraction
    ) -> OutageCounters | None:
        """The counters of the registers that were read now; None where a wrap may have hidden an outage.

        Args:
            found: The registers.
            first_ns: When the first frame arrived, on the driver's clock.
            now_ns: That clock now.
            missing: The most frames that have not arrived, though later ones have.
            rate: Frames that are sent each second.
        """
        if (missing + 1) * 10**9 / rate + _STEP_NS >= WRAP_NS:
            return None
        if not found.frames:
            return OutageCounters(None, None, None, within_ns=_STEP_NS)
        length_ns = found.length * _UNIT_NS
        if (found.length, found.since) != (self._seen.length, self._seen.since):
            start_ns = first_ns + (found.since - found.first) % (1 << 32) * _UNIT_NS
            wraps = max(0, now_ns - length_ns - start_ns) // WRAP_NS
            self._seen, self._start_ns = found, start_ns + wraps * WRAP_NS
        return OutageCounters(
            count=None,
            total_ns=None,
            lost=None,
            longest_ns=max(1, length_ns),
            longest_start_ns=self._start_ns,
            longest_lost=found.frames,
            last_sequence=found.before,
            within_ns=_STEP_NS,
        )
