# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What became of the order of a stream's frames, from their sequence numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Order:
    """Frames of one or more streams. Each that arrived is counted in `received`, whatever else it was."""

    sent: int = 0
    received: int = 0  # on the port where they were expected
    duplicated: int = 0  # beyond the first arrival of a frame
    reordered: int = 0  # after a frame that was sent later (RFC 4737 §3)
    extent: int = 0  # of the worst one: arrivals since the first frame that was sent later (RFC 4737 §4.2)
    late: int = 0  # so late that nobody knows any more whether they had arrived before
    corrupted: int = 0  # with a signature of ours and a content that is not
    misrouted: int = 0  # on another port of the tester; not in `received`

    @classmethod
    def merged(cls, parts: Iterable[Order]) -> Order:
        """Several streams as if they were one; the extent is the worst of them."""
        each = list(parts)
        summed = {name: sum(getattr(part, name) for part in each) for name in cls.__dataclass_fields__}
        return cls(**{**summed, "extent": max((part.extent for part in each), default=0)})

    @property
    def lost(self) -> int:
        """Frames that never arrived where they were expected."""
        return max(0, self.sent - (self.received - self.duplicated))

    @property
    def ratio(self) -> Fraction:
        """Reordered / received (RFC 4737 §3.4), exact."""
        return Fraction(self.reordered, self.received) if self.received else Fraction(0)

    @property
    def kept(self) -> bool:
        """Whether each frame arrived once, unharmed, in its place."""
        return not any(
            (self.lost, self.duplicated, self.reordered, self.late, self.corrupted, self.misrouted)
        )

    def __str__(self) -> str:
        names = ("lost", "duplicated", "reordered", "late", "corrupted", "misrouted")
        found = [f"{value:,} {name}" for name in names if (value := getattr(self, name))]
        text = f"{', '.join(found) or 'all in order'} of {self.sent:,} frames"
        return f"{text}, the worst overtaken by {self.extent:,}" if self.reordered else text
