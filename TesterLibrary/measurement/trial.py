# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One trial: a load, for a time, and what came of it. Integers first, ratios derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from .evidence import Evidence
from .latency import Latency
from .snapshot import StreamCounters


@dataclass(frozen=True)
class StreamResult:
    """What one stream did in a trial."""

    name: str
    tx_port: str
    rx_port: str
    frame_size: int  # bytes, FCS included; of a mix the average, rounded
    intended_rate: Fraction  # frames/s
    counters: StreamCounters
    sizes: Mapping[int, int] = field(default_factory=dict)  # of a mix: frames of each size in its period

    @property
    def mean_size(self) -> Fraction:
        """The average of the bytes of a frame, FCS included, exactly."""
        octets = sum(size * frames for size, frames in self.sizes.items())
        return Fraction(octets, sum(self.sizes.values())) if self.sizes else Fraction(self.frame_size)

    @property
    def size_text(self) -> str:
        """As people write it: `64`, or `mix 64:7 570:4 1518:1`."""
        parts = " ".join(f"{size}:{frames}" for size, frames in sorted(self.sizes.items()))
        return f"mix {parts}" if parts else str(self.frame_size)


@dataclass(frozen=True)
class Trial:
    """One trial over one or more streams that were offered together (RFC 2544 §23, §24).

    Prints as one line. An invalid trial says nothing about the device: `objections` tells why.
    """

    load: Fraction  # of line rate, 0 to 1, the same for every stream
    duration_ns: int  # of sending, as intended
    streams: tuple[StreamResult, ...]
    evidence: Evidence
    objections: tuple[str, ...] = ()
    started_at: str = ""  # wall clock, ISO 8601 with zone, for the report only
    number: int = 0  # of the run, from 1
    attempt: int = 1  # of the same trial; above 1 it repeats an invalid one

    @property
    def valid(self) -> bool:
        """Whether the tester did its part."""
        return not self.objections

    @property
    def sent(self) -> int:
        """Frames that left the tester."""
        return sum(s.counters.tx_packets for s in self.streams)

    @property
    def received(self) -> int:
        """Frames that arrived where they were expected."""
        return sum(s.counters.rx_packets for s in self.streams)

    @property
    def lost(self) -> int:
        """Frames sent and not received on the expected port; each stream for itself, so that what one
        stream duplicates does not hide what another loses."""
        return sum(max(0, s.counters.tx_packets - s.counters.rx_packets) for s in self.streams)

    @property
    def loss(self) -> Fraction:
        """Frame loss rate (RFC 1242 §3.6), exact: lost / sent; 0 if nothing was sent."""
        return Fraction(self.lost, self.sent) if self.sent else Fraction(0)

    @property
    def loss_ratio(self) -> float:
        """Frame loss rate as a number from 0 to 1."""
        return float(self.loss)

    @property
    def offered_rate(self) -> float:
        """Frames sent each second, over the intended duration."""
        return self.sent * 1e9 / self.duration_ns

    @property
    def received_rate(self) -> float:
        """Frames received each second of sending."""
        return self.received * 1e9 / self.duration_ns

    @property
    def throughput_bps(self) -> float:
        """Received bits of frames each second of sending (L2, FCS included)."""
        return sum(s.counters.rx_bytes for s in self.streams) * 8e9 / self.duration_ns

    @property
    def latency(self) -> Latency:
        """Latency over all frames of all streams."""
        return Latency.merged(s.counters.latency for s in self.streams)

    def stream(self, name: str) -> StreamResult:
        """The part of one stream. KeyError names those there are."""
        for stream in self.streams:
            if stream.name == name:
                return stream
        raise KeyError(f"the trial has no stream {name!r}; it has {', '.join(s.name for s in self.streams)}")

    @property
    def title(self) -> str:
        """Streams and frame size: `north, 64 bytes`."""
        sizes = {s.size_text: None for s in sorted(self.streams, key=lambda s: s.mean_size)}
        return f"{' + '.join(s.name for s in self.streams)}, {'/'.join(sizes)} bytes"

    def __str__(self) -> str:
        text = (
            f"{self.title}: {float(self.load):.2%} for {self.duration_ns / 1e9:g} s, "
            f"sent {self.sent:,}, lost {self.lost:,} ({self.loss_ratio:.4%}), {self.received_rate:,.0f} pps"
        )
        if self.latency.count:
            text += f", latency {self.latency}"
        return text if self.valid else f"{text} - INVALID: {'; '.join(self.objections)}"
