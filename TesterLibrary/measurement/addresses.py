# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a bridge knows the addresses from which frames have come (RFC 2889 §5.7, §5.8)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AddressCheck:
    """Frames from addresses on one port, and then one frame to each of them from another port."""

    addresses: int  # from which a frame was sent
    rate: float  # at which these frames were to leave, each second
    unheard: int | None  # of these frames, lost: the device may not have heard the address
    flooded: int | None  # arrivals of the other frames at ports where the address is not; None: not counted
    lost: int | None  # of the other frames; None: not known
    objections: tuple[str, ...] = ()  # why the tester did not do its part
    started_at: str = ""  # wall clock, ISO 8601 with zone, for the report only
    held_ns: int = 0  # from the first frame from the addresses to the last one to them; 0: not known

    @property
    def all_known(self) -> bool:
        """Whether each frame arrived where its address is, and nowhere else."""
        return self.flooded == 0 and self.lost == 0

    @property
    def doubt(self) -> str:
        """Why a check that failed does not show that an address is not known; empty if it does."""
        if self.flooded is None:
            return "the tester does not count frames that arrive at other ports"
        if self.objections:
            return "; ".join(self.objections)
        if self.unheard != 0:
            lost = "an unknown number" if self.unheard is None else f"{self.unheard:,}"
            return f"{lost} of the {self.addresses:,} frames from which it was to learn were lost"
        if not self.flooded:
            lost = "an unknown number" if self.lost is None else f"{self.lost:,}"
            return f"nothing was flooded, and {lost} of {self.addresses:,} frames to the addresses were lost"
        return ""

    def __str__(self) -> str:
        flooded = "not counted" if self.flooded is None else f"{self.flooded:,}"
        lost = "not known" if self.lost is None else f"{self.lost:,}"
        text = f"{self.addresses:,} addresses at {self.rate:,.6g}/s: flooded {flooded}, lost {lost}"
        return f"{text} ({'; '.join(self.objections)})" if self.objections else text
