# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The counts of a port of the fake tester."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ...measurement.definition import counted
from ...measurement.port_evidence import size_counter
from ...measurement.snapshot import PortCounters, PortVersionCounters, StreamCounters
from ...model.plan.plan import PlannedStream
from ...model.units.units import FCS_LENGTH
from .damage import damaged_frames


@dataclass
class PortTotals:
    """Counts by the name of their counter, with the version in front of what is counted by version."""

    name: str
    counts: Counter[str] = field(default_factory=Counter)

    def copy(self) -> PortTotals:
        """The same counts, which go on by themselves."""
        return PortTotals(self.name, Counter(self.counts))

    def add(self, **counts: int) -> None:
        """Adds to counters by their names."""
        self.counts.update(counts)

    def send(self, size: int) -> None:
        """A frame of so many bytes, FCS included, leaves."""
        self.add(tx_packets=1, tx_bytes=size)

    def receive(self, size: int, frames: int = 1) -> None:
        """Frames of so many bytes each, FCS included, arrive."""
        self.add(rx_packets=frames, rx_bytes=frames * size, **{size_counter(size): frames})

    def send_stream(self, stream: StreamCounters) -> None:
        """Frames of a stream have left."""
        self.add(tx_packets=stream.tx_packets, tx_bytes=stream.tx_bytes)
        self._add_versions(stream, "tx")

    def receive_stream(self, planned: PlannedStream, stream: StreamCounters) -> None:
        """Frames of a stream have arrived."""
        pieces = stream.rx_fragments or 0  # the first of each has no signature
        frames = stream.rx_packets + damaged_frames(stream) + pieces
        self.add(rx_packets=frames, rx_bytes=stream.rx_bytes, rx_foreign=pieces, rx_fragments=pieces)
        for size, number in _sizes(planned, frames).items():
            self.counts[size_counter(size)] += number
        if planned.rx_port != self.name:
            self.add(rx_misrouted=stream.rx_packets)
        self._add_versions(stream, "rx")

    def counters(self, *, link_up: bool) -> PortCounters:
        """As a snapshot has them."""
        names = PortVersionCounters.__dataclass_fields__
        versions = tuple(
            PortVersionCounters(**{name: self.counts[f"{number} {name}"] for name in names})
            for number in (0, 1)
        )
        counts = {name: count for name, count in self.counts.items() if " " not in name}
        values: dict[str, Any] = {**counted(PortCounters, "fake"), **counts}
        return PortCounters(self.name, **{**values, "versions": versions, "link_up": link_up})

    def _add_versions(self, stream: StreamCounters, way: str) -> None:
        for number, version in enumerate(stream.versions):
            for unit in ("packets", "bytes"):
                self.counts[f"{number} {way}_{unit}"] += getattr(version, f"{way}_{unit}")


def _sizes(planned: PlannedStream, frames: int) -> Counter[int]:
    """So many frames of a stream by their size, as if none before them had been lost."""
    period = planned.mix or dict.fromkeys(planned.sizes, 1)
    rounds, rest = divmod(frames, sum(period.values()))
    counts = Counter({size: rounds * number for size, number in period.items()})
    counts.update(len(planned.template(number)) + FCS_LENGTH for number in range(rest))
    return counts
