# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""TCP throughput of a path, by transfers whose windows are parts of its bandwidth-delay product (RFC 6349).

First the round trip time of the quiet path, by handshakes; then a transfer for each window, beside which
handshakes go on. A transfer is held against the time that its payload takes at the bottleneck bandwidth.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf
from typing import Protocol

from ..errors import PlanError, require
from ..measurement.session_trial import SessionTrial
from ..model.units.number import counted
from ..model.units.units import Bandwidth, Duration, Ratio, duration_text, ratio_text
from ..verdict import AT_LEAST, AT_MOST, About, Between, Verdict, assess, text_of
from .failure_remarks import changed_remarks
from .result import Result, shorter

_BYTE_NS = 8 * 10**9  # nanoseconds of a byte at one bit each second
_ENOUGH = Duration(30 * 10**9)  # RFC 6349: transfers of at least 30 s are recommended
_PATIENCE = 10  # multiple of the expected time after which a transfer is given up
_LEAST_PATIENCE = 2 * 10**9
_LEAST_TIMEOUT = 2 * 10**8  # RFC 9293 leaves the least timeout open; Linux has 200 ms


@dataclass(frozen=True)
class Segments:
    """The frames of a connection's data."""

    payload: int  # bytes in a full segment
    header: int  # bytes of its frame beside them, FCS included
    handshake: int  # bytes by which a frame with SYN is longer than the header


class TransferMeasurer(Protocol):
    """Opens connections through the device, one end on either side."""

    name: str  # of the clients
    segments: Segments

    def handshakes(self, duration: Duration) -> SessionTrial:
        """Connections that are opened and closed, and nothing beside them."""
        ...

    def transfer(
        self, connections: int, *, octets: int, window: int, timeout: Duration, longest: Duration
    ) -> tuple[SessionTrial, SessionTrial]:
        """Connections that send `octets` each, `window` on their way at most, and handshakes beside them.

        It ends when all is acknowledged, or after `longest`. A segment without an acknowledgment is sent
        again after `timeout`.
        """
        ...


@dataclass(frozen=True)
class TransferPlan:
    """The transfers, and the path that they are held against."""

    bottleneck: Bandwidth  # of frames, FCS included
    windows: tuple[Fraction, ...] = (Fraction(1),)  # multiples of the bandwidth-delay product
    connections: int = 1  # at once; they share window and payload
    octets: int | None = None  # payload of a transfer; None: what the bottleneck carries in the duration
    duration: Duration = _ENOUGH
    rounds: Duration = Duration(10**9)  # for how long handshakes look at the quiet path

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (bool(self.windows), "give at least one window", "windows"),
            (all(window > 0 for window in self.windows), "a window must be above 0", "windows"),
            (self.connections >= 1, "connections must be at least 1", "connections"),
            (
                self.octets is None or self.octets >= self.connections,
                "each connection needs a byte to send",
                "octets connections",
            ),
            (self.duration.ns > 0 and self.rounds.ns > 0, "durations must be above 0", "duration rounds"),
        )

    def __str__(self) -> str:
        windows = ", ".join(map(_multiple, self.windows))
        return f"{counted(self.connections, 'connection')} over {self.bottleneck}, windows of {windows}"


@dataclass(frozen=True)
class Transfer:
    """One transfer of several connections at once."""

    window: Fraction  # multiple of the bandwidth-delay product
    window_octets: int  # payload on its way at most, of all connections together
    connections: int
    octets: int  # payload of all connections together
    ideal_ns: Fraction  # that the payload takes at the bottleneck bandwidth
    segments: Segments
    data: SessionTrial
    handshakes: SessionTrial  # beside it

    @property
    def completed(self) -> int:
        """Connections whose payload was acknowledged to the last byte."""
        return self.data.statistics.times("time_to_deliver").count

    @property
    def failed(self) -> int:
        """Connections that failed, or whose payload arrived changed; the least that is known."""
        return self.data.failed_counts.least if self.data.failed_counts else 0

    @property
    def time_bounds(self) -> tuple[Fraction | float, Fraction | float]:
        """Between which the transfer time lies, in nanoseconds: that of the slowest connection.

        A connection that failed never transfers its payload; one that is not over needs longer than so far.
        """
        if self.failed:
            return inf, inf
        slowest = self.data.statistics.times("time_to_deliver").figure("max")
        if slowest is None or self.completed < self.connections:
            return Fraction(self.data.statistics.duration_ns), inf
        return Fraction(slowest.least), Fraction(slowest.most)

    @property
    def throughput_bps(self) -> float | None:
        """Bits of payload each second, over the transfer time; None where it did not end."""
        most = self.time_bounds[1]
        return None if most == inf else float(self.octets * _BYTE_NS / most)

    @property
    def time_ratio(self) -> float | None:
        """TCP Transfer Time Ratio: actual to ideal transfer time (RFC 6349 §4.1)."""
        most = self.time_bounds[1]
        return None if most == inf else float(most / self.ideal_ns)

    @property
    def transmitted(self) -> int | None:
        """Bytes of payload that were sent, those sent again included; None where bytes are not counted."""
        counted_bytes = self.data.statistics.tx_bytes
        if counted_bytes is None:
            return None
        headers = self.segments.header * self.data.statistics.tx_packets
        return counted_bytes - headers - self.segments.handshake * self.data.statistics.openings

    @property
    def efficiency_bounds(self) -> tuple[Fraction, Fraction] | None:
        """TCP Efficiency (RFC 6349 §4.2): the part of the payload sent that was not sent again.

        Of a transfer that did not end nobody knows which bytes were sent once. A SYN that was sent again
        counts a few bytes.
        """
        most = self.transmitted
        if not most or most < 0:
            return None
        again = self.segments.handshake * self.data.statistics.retransmitted
        least = max(1, most - again)
        whole = self.completed == self.connections
        known = self.octets if whole else min(self.octets, self.data.statistics.bytes_delivered or 0)
        return min(Fraction(1), Fraction(known, most)), min(Fraction(1), Fraction(self.octets, least))

    @property
    def efficiency(self) -> float | None:
        """TCP Efficiency, 0 to 1; of a transfer that did not end, at least this."""
        bounds = self.efficiency_bounds
        return None if bounds is None else float(bounds[0])

    @property
    def round_trip_ns(self) -> float | None:
        """Mean round trip time beside the transfer; None where no handshake ended."""
        return self.handshakes.statistics.times("time_to_open").mean

    def __str__(self) -> str:
        rate, trip, efficiency = self.throughput_bps, self.round_trip_ns, self.efficiency
        return ", ".join(
            (
                f"window {_multiple(self.window)} ({self.window_octets:,} bytes)",
                f"not over after {Duration(self.data.statistics.duration_ns)}"
                if rate is None
                else f"{text_of(rate / 1e6)} Mbps, {text_of(self.time_ratio)} of the ideal time",
                "efficiency not known" if efficiency is None else f"efficiency {Ratio(Fraction(efficiency))}",
                "no round trip" if trip is None else f"round trip {duration_text(trip)}",
            )
        )


@dataclass(frozen=True)
class TcpThroughputResult(Result):
    """Transfers over a path, one for each window; the one with the widest window is judged."""

    plan: TransferPlan
    ideal_bps: Fraction  # of payload, that the bottleneck carries
    quiet: SessionTrial  # handshakes without a transfer
    measured: tuple[Transfer, ...]

    @property
    def baseline_ns(self) -> int:
        """Baseline round trip time: the least of the quiet path (RFC 6349 §3.2.1)."""
        return self.quiet.statistics.times("time_to_open").min or 0

    @property
    def widest(self) -> Transfer:
        """The transfer with the widest window."""
        return max(self.measured, key=lambda transfer: transfer.window_octets)

    @property
    def shortened(self) -> tuple[str, ...]:
        """Says where transfers were shorter than the RFC recommends."""
        ideal = min(transfer.ideal_ns for transfer in self.measured)
        return shorter("transfers", Duration(10**6 * round(ideal / 10**6)), _ENOUGH, "RFC 6349")

    @property
    def buffer_delay_bounds(self) -> tuple[Fraction, Fraction | float] | None:
        """Buffer Delay (RFC 6349 §4.3): by which part of the baseline the mean round trip was longer.

        A handshake without an answer may have waited for any time. None where none ended.
        """
        base = self.quiet.statistics.times("time_to_open").figure("min")
        mean = self.widest.handshakes.statistics.times("time_to_open").figure("mean")
        if base is None or mean is None or not base.least:
            return None
        least = Fraction(mean.least) / Fraction(base.most) - 1
        if self.widest.handshakes.unanswered:
            return max(Fraction(0), least), inf
        return max(Fraction(0), least), max(Fraction(0), Fraction(mean.most) / Fraction(base.least) - 1)

    @property
    def buffer_delay(self) -> float | None:
        """Buffer Delay of the widest window as a part of the baseline; at least this."""
        bounds = self.buffer_delay_bounds
        return None if bounds is None else float(bounds[0])

    def throughput_above(self, bound: Bandwidth) -> Verdict:
        """Whether so many bits of payload each second were transferred, at least."""
        (least, most), octets = self.widest.time_bounds, self.widest.octets
        slowest = Fraction(0) if most == inf else octets * _BYTE_NS / most
        return assess(
            Between(slowest, octets * _BYTE_NS / max(least, Fraction(1))),
            AT_LEAST,
            bound.bps,
            subject=f"TCP throughput of {self._subject}",
            measured=self._speed(f"{text_of(float(slowest) / 1e6)} Mbps"),
            bound=f">= {bound}",
            doubt=self._doubt,
        )

    def time_ratio_below(self, bound: Fraction) -> Verdict:
        """Whether the transfer took at most so many times the ideal time (TCP Transfer Time Ratio)."""
        (least, most), ideal = self.widest.time_bounds, self.widest.ideal_ns
        return assess(
            Between(least / ideal, most / ideal if most != inf else inf),
            AT_MOST,
            bound,
            subject=f"TCP transfer time ratio of {self._subject}",
            measured=self._speed(f"{text_of(self.widest.time_ratio)}x"),
            bound=f"<= {text_of(bound)}x",
            doubt=self._doubt,
        )

    def efficiency_above(self, bound: Ratio) -> Verdict:
        """Whether such a part of the payload sent was not sent again, at least (TCP Efficiency)."""
        bounds = self.widest.efficiency_bounds
        return assess(
            None if bounds is None else Between(*bounds),
            AT_LEAST,
            bound.value,
            subject=f"TCP efficiency of {self._subject}",
            measured="" if bounds is None else _between(*map(Ratio, bounds)),
            bound=f">= {bound}",
            doubt=self._doubt,
            text=ratio_text,
        )

    def buffer_delay_below(self, bound: Fraction) -> Verdict:
        """Whether the mean round trip was longer than the baseline by at most such a multiple of it."""
        bounds, missing = self.buffer_delay_bounds, self.widest.handshakes.unanswered
        value: Between | None = None
        measured = doubt = ""
        if bounds and missing:
            value = Between(*bounds)
            measured = f"at least {_percent(bounds[0])}"
            if bounds[0] <= bound:
                doubt = f"{missing:,} handshakes were not answered, and may have waited for any time"
        elif bounds:
            middle, off = (bounds[0] + bounds[1]) / 2, bounds[1] - bounds[0]
            value = About(*bounds, f"{_percent(middle)} ± {_percent(off / 2)}")
            measured = f"{_percent(middle)} of a round trip of {Duration(self.baseline_ns)}"
        return assess(
            value,
            AT_MOST,
            bound,
            subject=f"buffer delay of {self._subject}",
            measured=measured,
            bound=f"<= {_percent(bound)}",
            doubt="; ".join(
                filter(None, (self._doubt, self.quiet.doubt, self.widest.handshakes.doubt, doubt))
            ),
        )

    @property
    def _subject(self) -> str:
        return f"{self.title}, window {_multiple(self.widest.window)} of the bandwidth-delay product"

    @property
    def _doubt(self) -> str:
        return self.widest.data.doubt or self.widest.data.uncompared_text

    def _speed(self, complete: str) -> str:
        """The figure of a transfer that is complete; of another one, how far it came."""
        transfer = self.widest
        if transfer.time_bounds[1] != inf:
            return complete
        after = Duration(transfer.data.statistics.duration_ns)
        because = "; ".join((f", {transfer.failed:,} failed", *changed_remarks(transfer.data)))
        because = because if transfer.failed else ""
        return f"unknown: {transfer.completed:,} of {transfer.connections:,} were over after {after}{because}"

    def __str__(self) -> str:
        head = f"{self.title}: baseline round trip {Duration(self.baseline_ns)}, ideal "
        head += f"{text_of(float(self.ideal_bps) / 1e6)} Mbps of payload"
        return "; ".join((head, *map(str, self.measured)))


def _multiple(number: Fraction) -> str:
    return f"{text_of(number)}x"


def _percent(part: Fraction | float) -> str:
    return f"{text_of(part * 100)} %"


def _between(least: Ratio, most: Ratio) -> str:
    return str(least) if least == most else f"{least} to {most}"


def ideal_bps(bottleneck: Bandwidth, segments: Segments) -> Fraction:
    """The payload that a bottleneck carries in full segments (RFC 6349 §4.1, maximum TCP throughput)."""
    return Fraction(bottleneck.bps * segments.payload, segments.payload + segments.header)


def measure_tcp_throughput(measurer: TransferMeasurer, plan: TransferPlan) -> TcpThroughputResult:
    """The baseline, then a transfer for each window.

    Raises:
        PlanError: the plan makes no sense, or no handshake ended, without which there is no window.
        TargetError: the tester is broken, gone or late.
    """
    plan.validate()
    quiet = measurer.handshakes(plan.rounds)
    baseline = quiet.statistics.times("time_to_open").min
    if not baseline:
        raise PlanError(
            f"{measurer.name}: no connection was opened in {plan.rounds}, so that the round trip time is not "
            f"known; is the responder running? {quiet}"
        )
    carried = ideal_bps(plan.bottleneck, measurer.segments)
    transfers = tuple(
        _transfer(measurer, plan, window, baseline_ns=baseline, carried_bps=carried)
        for window in plan.windows
    )
    return TcpThroughputResult(measurer.name, (), plan, carried, quiet, transfers)


def _transfer(
    measurer: TransferMeasurer,
    plan: TransferPlan,
    window: Fraction,
    *,
    baseline_ns: int,
    carried_bps: Fraction,
) -> Transfer:
    product = carried_bps * baseline_ns / _BYTE_NS  # the bandwidth-delay product in bytes of payload
    each = max(measurer.segments.payload, ceil(product * window / plan.connections))
    octets = plan.octets or ceil(carried_bps * plan.duration.ns / _BYTE_NS)
    share = -(-octets // plan.connections)
    total, on_their_way = share * plan.connections, each * plan.connections
    # A window is over in a round trip; what is beyond the product waits at the bottleneck.
    round_ns = max(Fraction(baseline_ns), on_their_way * _BYTE_NS / carried_bps)
    expected_ns = total * round_ns / on_their_way
    data, handshakes = measurer.transfer(
        plan.connections,
        octets=share,
        window=each,
        timeout=Duration(max(_LEAST_TIMEOUT, 2 * 10**6 * ceil((round_ns + baseline_ns) / 10**6))),
        longest=Duration(_LEAST_PATIENCE + _PATIENCE * ceil(expected_ns)),
    )
    return Transfer(
        window=window,
        window_octets=on_their_way,
        connections=plan.connections,
        octets=total,
        ideal_ns=total * _BYTE_NS / carried_bps,
        segments=measurer.segments,
        data=data,
        handshakes=handshakes,
    )
