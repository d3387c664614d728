# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a device did not forward (RFC 6201 §4): by the frames it lost, and by the silence at its output."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..model.units import Duration


@dataclass(frozen=True)
class Outage:
    """The longest silence of one stream between two frames that arrived. Times are of the tester's clock."""

    before_ns: int  # arrival of the last frame before it
    after_ns: int  # arrival of the first frame after it
    lost: int  # frames missing between the two
    rate: Fraction  # at which they were sent, in frames each nanosecond

    @property
    def by_time_ns(self) -> int:
        """Timestamp-based (RFC 6201 §4.2): from the last frame before to the first one after."""
        return self.after_ns - self.before_ns

    @property
    def by_loss_ns(self) -> Fraction:
        """Frame-loss-based (RFC 6201 §4.1): frames lost / rate of sending; 0 if none was lost."""
        return self.lost / self.rate if self.rate else Fraction(0)

    @property
    def interval_ns(self) -> Fraction:
        """Between two frames as they are sent: what neither of the two values can tell apart."""
        return 1 / self.rate if self.rate else Fraction(0)

    def __str__(self) -> str:
        return (
            f"{Duration(self.by_time_ns)} by time, {Duration(round(self.by_loss_ns))} by "
            f"{self.lost:,} lost frames"
        )
