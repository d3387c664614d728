# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How latency varies from frame to frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..snapshot import VariationCounters


@dataclass(frozen=True)
class Variation:
    """All values are nanoseconds; `None` where no two frames in a row were received, or
    the tester does not measure it.

    Streams do not follow each other, so of several there is the worst jitter and IPDV over all their pairs.
    """

    counters: tuple[VariationCounters, ...]

    @classmethod
    def merged(cls, parts: Iterable[VariationCounters | None]) -> Variation:
        """Over several streams."""
        return cls(tuple(part for part in parts if part and part.ipdv_count))

    @property
    def jitter(self) -> float | None:
        """Interarrival jitter as it was at the end (RFC 3550 §6.4.1)."""
        return max((part.jitter_16_ns / 16 for part in self.counters), default=None)

    @property
    def ipdv_mean(self) -> float | None:
        """Mean of the absolute values of the inter-packet delay variation (RFC 5481 §4.1)."""
        count = sum(part.ipdv_count for part in self.counters)
        return sum(part.ipdv_sum_ns for part in self.counters) / count if count else None

    @property
    def ipdv_min(self) -> int | None:
        """The most by which a frame was faster than the one before; below 0."""
        return min((part.ipdv_min_ns for part in self.counters), default=None)

    @property
    def ipdv_max(self) -> int | None:
        """The most by which a frame was slower than the one before."""
        return max((part.ipdv_max_ns for part in self.counters), default=None)
