# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a device did not forward (RFC 6201 §4): by the frames it lost, and by its silence."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..model.units.units import Duration, duration_text


@dataclass(frozen=True)
class Outage:
    """The longest time in which a stream lost frames, between two that arrived one after the other."""

    start_ns: int  # arrival of the frame before it, on the tester's clock
    by_time_ns: int  # time until the frame after it (timestamp-based, RFC 6201 §4.2)
    lost: int  # frames missing between the two
    rate: Fraction  # rate at which they were sent, in frames each nanosecond
    ended: bool = True  # False: nothing more arrived until the traffic ended

    @property
    def by_loss_ns(self) -> Fraction:
        """Frame-loss-based (RFC 6201 §4.1): frames lost / rate of sending."""
        return self.lost / self.rate

    @property
    def interval_ns(self) -> Fraction:
        """Between two frames as they are sent: what neither of the two values can tell apart."""
        return 1 / self.rate

    def __str__(self) -> str:
        text = (
            f"{Duration(self.by_time_ns)} by time, {duration_text(self.by_loss_ns)} by "
            f"{self.lost:,} lost frames"
        )
        return text if self.ended else f"{text}, not over when the traffic ended"
