# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One trial as procedures, suites and reports have it: its numbers, and sentences about them."""

from __future__ import annotations

from dataclasses import dataclass

from . import remarks
from .trial_numbers import TrialNumbers


@dataclass(frozen=True)
class Trial(TrialNumbers):
    """One trial over one or more streams that were offered together (RFC 2544 §23, §24).

    Prints as one line. An invalid trial says nothing about the device: `objections` tells why.
    """

    @property
    def loss_text(self) -> str:
        """The frame loss as people read it: `lost 4 (0.0040 %)`, or why it is not known."""
        return remarks.loss_text(self)

    @property
    def besides(self) -> tuple[str, ...]:
        """Remarks that belong to every figure; none if each frame arrived unchanged or was lost."""
        return remarks.besides(self)

    @property
    def traffic(self) -> str:
        """Law of departures and number of flows: `evenly spaced, 1 flow`; by name if streams differ."""
        return remarks.traffic(self)

    @property
    def misrouted(self) -> str:
        """Frames that arrived on other ports than expected, stream by stream; empty if none did."""
        return remarks.misrouted(self)

    @property
    def not_sustained(self) -> str:
        """How far the delay grew where it grew all along, so that a queue was only filled; else empty."""
        return remarks.not_sustained(self)

    def __str__(self) -> str:
        return remarks.line(self)
