# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Proof that the tester itself did its part, for one trial."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class EvidenceLimits:
    """Beyond these a trial is invalid. Read from `resources/criteria/evidence.yaml`."""

    max_shortfall: Fraction = Fraction(1, 1000)  # of the intended frames
    max_rate_error: Fraction = Fraction(1, 1000)  # of the intended rate
    max_tester_drops: int = 0  # frames lost in the tester's own rings, buffers and interfaces
    max_worker_gap_ns: int = 50_000_000
    max_clock_drift: Fraction = Fraction(1, 10_000)


@dataclass(frozen=True)
class Evidence:
    """What the tester says of itself over one trial. Frames are summed over streams and ports."""

    intended_packets: int
    offered_packets: int
    rate_error: Fraction  # (offered rate - intended rate) / intended rate
    tx_refused: int  # offered again, so no frame is missing for it
    rx_missed: int  # at the port, before the tester saw them
    kernel_dropped: int  # at the tester's own interfaces
    worst_worker_gap_ns: int
    worst_lateness_ns: int
    clock_drift: Fraction

    @property
    def shortfall(self) -> Fraction:
        """The part of the intended frames that was never sent."""
        if self.intended_packets == 0:
            return Fraction(0)
        return Fraction(self.intended_packets - self.offered_packets, self.intended_packets)

    def objections(self, limits: EvidenceLimits) -> Iterator[str]:
        """Each reason why the trial is not to be trusted, with the value and its limit."""
        if self.intended_packets == 0:
            yield "no frame was to be sent"
        if self.missed_rate(limits):
            yield (
                f"the tester sent {self.offered_packets} of {self.intended_packets} frames "
                f"with a rate error of {float(self.rate_error):+.3%} "
                f"(limit {float(limits.max_rate_error):.3%})"
            )
        drops = self.rx_missed + self.kernel_dropped
        if drops > limits.max_tester_drops:
            yield (
                f"{drops} frames were lost in the tester's own rings and interfaces "
                f"(limit {limits.max_tester_drops})"
            )
        if self.worst_worker_gap_ns > limits.max_worker_gap_ns:
            yield (
                f"a worker did not run for {self.worst_worker_gap_ns / 1e6:.1f} ms "
                f"(limit {limits.max_worker_gap_ns / 1e6:.1f} ms)"
            )
        if abs(self.clock_drift) > limits.max_clock_drift:
            yield (
                f"the tester's clock drifted by {float(self.clock_drift) * 1e6:+.1f} ppm "
                f"(limit {float(limits.max_clock_drift) * 1e6:.1f} ppm)"
            )

    def missed_rate(self, limits: EvidenceLimits) -> bool:
        """Whether the tester could not reach the offered rate: then a search takes it as its upper bound."""
        return self.shortfall > limits.max_shortfall or abs(self.rate_error) > limits.max_rate_error
