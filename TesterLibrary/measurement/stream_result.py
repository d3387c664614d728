# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The numbers of one stream in a trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from .broadcast import Broadcast
from .delays.blind_delay import BlindDelay, Passages
from .delays.correction import NOT_CORRECTED, Correction, DelayKind
from .delays.latency import Latency
from .delays.latency_error import OF_ENGINE, LatencyError, PercentileError
from .delays.sustained import Growth
from .delays.undelayed_frames import InTime
from .departure import GapError, achieved_rate, held_up, lost_crowded
from .evidence import EvidenceLimits
from .flows import FlowSummary
from .octets import OctetBalance
from .order import Order
from .outage_bounds import Outage, outage_bounds, outages_of
from .snapshot import StreamCounters

_ON_TIME = Fraction(1, 1000)  # part of a rate by which a stream may miss it and counts as what was asked


@dataclass(frozen=True)
class StreamResult:
    """The result of one stream in a trial."""

    name: str
    tx_port: str
    rx_port: str
    frame_size: int  # bytes, FCS included; of a mix the average, rounded
    intended_rate: Fraction  # frames/s
    counters: StreamCounters
    sizes: Mapping[int, int] = field(default_factory=dict)  # frames of each size in the period of a mix
    correction: Correction = NOT_CORRECTED
    flows: FlowSummary | None = None  # its flows, where they are counted one by one
    rate_error: Fraction = Fraction(0)  # (achieved - intended) / intended rate; see departure.py
    growth: Growth | None = None  # growth of its delay, from the first frame to the last; None: not known
    measured: bool = True  # its frames are recognized where they arrive; otherwise its loss is unknown
    signed: bool = True  # each of its frames is known by its signature
    stale: int = 0  # frames of earlier trials that look like its own, and had not arrived before it began
    copies: tuple[str, ...] = ()  # other ports, at each of which every frame is expected, too: broadcast
    percentile_error: PercentileError = OF_ENGINE  # the greatest error of percentiles of its latency
    law: str = ""  # of its departures: evenly spaced, or what its author asked for; empty in old records
    in_time: InTime | None = None  # first arrivals while it was sent; None: see arrived_in_time
    different: int | None = None  # flows: combinations of values of the edited fields; None: not known
    sending_ns: int = 0  # time of its frames, each with its gap; 0: not known, or fewer than two

    @property
    def mean_size(self) -> Fraction:
        """The average of the bytes of a frame, FCS included, exactly."""
        octets = sum(size * frames for size, frames in self.sizes.items())
        return Fraction(octets, sum(self.sizes.values())) if self.sizes else Fraction(self.frame_size)

    @property
    def size_text(self) -> str:
        """The frame size as people write it: `64`, or `mix 64:7 570:4 1518:1`."""
        parts = " ".join(f"{size}:{frames}" for size, frames in sorted(self.sizes.items()))
        return f"mix {parts}" if parts else str(self.frame_size)

    @property
    def achieved_rate(self) -> float:
        """Frames each second from the first departure to the last."""
        return float(achieved_rate(self.counters))

    @property
    def left_rate(self) -> Fraction:
        """Frames each second that left: as intended if at most 0.1 % of that is missing, else as counted."""
        due, sent = self.counters.intended_packets, self.counters.tx_packets
        missing = max(-self.rate_error, Fraction(due - sent, due) if due else Fraction(0))
        return self.intended_rate * (1 - missing) if missing > _ON_TIME else self.intended_rate

    @property
    def burst_of_pause(self) -> int:
        """Frames that the longest pause of the tester put back to back; 0 if none was longer than allowed."""
        if self.counters.worst_lateness_ns <= EvidenceLimits.max_pause_ns:
            return 0
        return held_up(self.counters, self.intended_rate / 10**9, EvidenceLimits.max_pause_ns)

    @property
    def lost_crowded(self) -> int | None:
        """Lost frames that left after pauses of the tester; None where they are not counted."""
        return lost_crowded(self.counters) if self.measured else None

    @property
    def missed_at(self) -> Sequence[str]:
        """Other ports that miss copies of its frames: those that got none, or else those that got fewer."""
        ports = (self.broadcast.by_port or {}).items()
        return self.broadcast.deaf or [port for port, frames in ports if frames < self.broadcast.sent]

    @property
    def gap_error(self) -> GapError:
        """How exactly its frames left."""
        return GapError.merged([self.counters.departures])

    @property
    def latency(self) -> Latency:
        """Latency of every frame, less the calibrated delay of the tester."""
        return self.latency_as(DelayKind.AS_SEEN)

    def latency_as(self, kind: DelayKind) -> Latency:
        """Latency between other instants (RFC 1242 §3.8)."""
        latency = Latency(self.counters.latency, LatencyError(self.percentile_error))
        return latency.less(self.correction.total_ns(kind), self.correction.spread_ns)

    @property
    def lossy_flows(self) -> tuple[int, int] | None:
        """The fewest and the most flows that lost a frame; None where flows are not counted.

        Flows count all their arrivals, so one that came twice hides another one that was lost.
        """
        if self.flows is None:
            return None
        counted, order = self.flows.statistics, self.order
        lost, most_lost = order.loss_bounds or (0, counted.sent)
        least = max(counted.lossy, min(1, lost))
        return least, max(least, min(counted.flows, most_lost)) if order.copies[1] else least

    @cached_property
    def order(self) -> Order:
        """The order in which its frames arrived."""
        counted = self.counters
        return Order(
            sent=counted.tx_packets if self.measured else None,
            received=counted.rx_packets,
            duplicated=counted.order.duplicated,
            reordered=counted.rx_out_of_order,
            extent=counted.order.extent_max,
            late=counted.order.late,
            corrupted=counted.rx_corrupted,
            wrong_length=counted.rx_wrong_length,
            fragments=counted.rx_fragments,
            wrong_headers=counted.rx_wrong_headers,
            wrong_header_parts=counted.rx_wrong_header_parts,
            misrouted=self.broadcast.misrouted,
            behind=counted.order.behind,
            incomplete=self.broadcast.incomplete,
            most_incomplete=self.broadcast.most_incomplete,
            duplicated_elsewhere=self.broadcast.duplicated,
        )

    @cached_property
    def broadcast(self) -> Broadcast:
        """Its frames at other ports, and what is missing there of those that are expected."""
        counted = self.counters
        return Broadcast(
            self.copies,
            counted.tx_packets,
            counted.rx_misrouted,
            tuple(counted.rx_misrouted_ports),
            counted.rx_misrouted_by_port,
            counted.rx_misrouted_behind,
            counted.rx_misrouted_damaged,
        )

    @property
    def first_octets(self) -> float:
        """Bytes received, FCS included, of each frame once."""
        counted = self.counters
        return (
            counted.rx_bytes * self.order.first_arrivals / counted.rx_packets if counted.rx_packets else 0.0
        )

    @property
    def octets(self) -> OctetBalance:
        """Bytes received against the bytes of the same frames as they were sent."""
        return OctetBalance.of(self.name, self.frame_size, self.counters)

    @property
    def arrived_in_time(self) -> InTime:
        """First arrivals while it was sent. Without readings meanwhile, from the first and last arrival."""
        return self.in_time or InTime.of(self.counters, grown=self.growth)

    @property
    def blind_delay(self) -> BlindDelay | None:
        """Mean delay without timestamps in frames; None where the tester did not sum up times."""
        counted = self.counters
        if not counted.versions:
            return None
        copies, most_copies = self.order.copies
        return BlindDelay(
            departures=sum((Passages(v.tx_packets, v.tx_time_ns) for v in counted.versions), Passages()),
            arrivals=sum((Passages(v.rx_packets, v.rx_time_ns) for v in counted.versions), Passages()),
            span_ns=counted.last_tx_ns - counted.first_tx_ns,
            duplicated=copies,
            offset_ns=self.correction.offset_ns,
            again=most_copies - copies if self.signed else 0,
            once=not self.signed,
            stale=self.stale,
            arrival_span_ns=counted.last_rx_ns - counted.first_rx_ns,
            error_ns=self.correction.sums_error_ns,
        )

    @property
    def outages(self) -> tuple[Outage, ...] | None:
        """The longest outage, which may not have ended; empty without an outage, None if it was not counted.

        A stream that lost nothing had none, whatever was counted.
        """
        outages = outages_of(self.counters, self.order, self.intended_rate / 10**9)
        if not outages:
            return outages
        return (max(outages, key=lambda o: (not o.ended, o.by_time_ns)),)

    @property
    def outage_bounds(self) -> tuple[float, float] | None:
        """How long the longest outage was, at least and at most, in nanoseconds; None if nobody counted."""
        return outage_bounds(self.counters, self.order, self.intended_rate / 10**9)
