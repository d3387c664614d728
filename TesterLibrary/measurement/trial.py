# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One trial: a load, for a time, and what came of it. Integers first, ratios derived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ..model.units.number import counted, percent
from ..model.units.units import Duration
from .attempt import Attempt, unconfirmed
from .broadcast import Broadcast
from .counter import total
from .delays.blind_delay import BlindDelay, Passages
from .delays.correction import NOT_CORRECTED, Correction, DelayKind
from .delays.in_time import InTime
from .delays.late import late_bounds
from .delays.latency import Latency
from .delays.latency_error import OF_ENGINE, LatencyError, PercentileError
from .delays.sustained import Growth
from .delays.variation import Variation
from .departure import GapError, achieved_rate, held_up
from .evidence import Evidence, EvidenceLimits
from .flows import FlowSummary
from .foreign import NOTHING_FOREIGN, Foreign, ForeignAt
from .octets import OctetBalance
from .order import Order
from .outage import Outage
from .outage_bounds import outage_bounds, outages_of
from .snapshot import StreamCounters
from .validated import Validated
from .waits import Waits

_NAMED = 6  # streams that a title names one by one
_ON_TIME = Fraction(
    1, 1000
)  # part of a rate by which a stream may miss it and still counts as what was asked


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
    def traffic(self) -> str:
        """The law of its departures and the number of its flows, as people read them."""
        flows = "an unknown number of flows" if self.different is None else f"{self.different:,} flows"
        return f"{self.law}, {'1 flow' if self.different == 1 else flows}" if self.law else ""

    @property
    def lost_by_pause(self) -> str:
        """How pauses of the tester may have cost all frames that it lost; empty if they do not explain all.

        The evidence of a trial says so of its streams together. Where others lose more frames than pauses
        explain, the trial is valid, and this stream may still have lost none but those of a burst.
        """
        lost, late = self.order.lost, self.counters.worst_lateness_ns
        burst = held_up(self.counters, self.intended_rate / 10**9, EvidenceLimits.max_pause_ns)
        if not lost or lost > burst or late <= EvidenceLimits.max_pause_ns:
            return ""
        return (
            f"{counted(lost, 'frame')} of {self.name} lost, and pauses of the tester of up to "
            f"{late / 1e6:.1f} ms put up to {burst:,} of them back to back"
        )

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
    def gap_error(self) -> GapError:
        """How exactly its frames left."""
        return GapError.merged([self.counters.departures])

    @property
    def latency(self) -> Latency:
        """Latency of every frame, less the calibrated delay of the tester."""
        return self.latency_as(DelayKind.AS_SEEN)

    def latency_as(self, kind: DelayKind) -> Latency:
        """The same between other instants (RFC 1242 §3.8)."""
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

    @property
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

    @property
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
        )

    @property
    def misrouted(self) -> str:
        """Frames that arrived on other ports than expected, and on which; empty if none did."""
        counted, found = self.counters, self.broadcast
        if found.missing:
            missed = found.deaf or [
                port for port, frames in (found.by_port or {}).items() if frames < found.sent
            ]
            places = ", ".join(missed or self.copies)
            return f"{found.missing:,} copies of frames of {self.name} missed {places}"
        if not found.misrouted:
            return ""
        places = ", ".join(counted.rx_misrouted_ports) or "another port"
        expected = ", ".join((self.rx_port, *self.copies))
        return f"{found.misrouted:,} frames of {self.name} arrived at {places}, expected at {expected}"

    @property
    def duplicated_elsewhere(self) -> str:
        """Frames that arrived again at other ports where they are expected, or may have; empty if none."""
        found, told = self.broadcast, []
        if found.duplicated:
            told = [f"{found.duplicated:,} duplicates of {self.name} arrived at {', '.join(found.again)}"]
        if later := found.behind_later:
            places = ", ".join(later)
            told += [f"{sum(later.values()):,} frames of {self.name} came behind a later one at {places}"]
        return "; ".join(told)

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
        """First arrivals while it was sent; from its first and last one where nobody read its counters."""
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
        """The longest outage, which may not have ended; empty if there was none, None if nobody counted.

        A stream that lost nothing had none, whatever was counted.
        """
        found = outages_of(self.counters, self.order, self.intended_rate / 10**9)
        if not found:
            return found
        return (max(found, key=lambda o: (not o.ended, o.by_time_ns)),)

    @property
    def outage_bounds(self) -> tuple[float, float] | None:
        """How long the longest outage was, at least and at most, in nanoseconds; None if nobody counted."""
        return outage_bounds(self.counters, self.order, self.intended_rate / 10**9)


@dataclass(frozen=True)
class Trial(Validated):
    """One trial over one or more streams that were offered together (RFC 2544 §23, §24).

    Prints as one line. An invalid trial says nothing about the device: `objections` tells why.
    """

    load: Fraction  # part of line rate, 0 to 1, on the busiest port
    duration_ns: int  # the time for which it was to send
    streams: tuple[StreamResult, ...]  # the result of each stream
    evidence: Evidence  # proof that the tester did its part
    objections: tuple[str, ...] = ()  # reasons why it says nothing about the device; empty if it is valid
    findings: tuple[str, ...] = ()  # actions of the device that leave its counts open: it repeats for ever
    delay_objections: tuple[str, ...] = ()  # reasons not to trust its delays, though its counts are right
    order_objections: tuple[str, ...] = ()  # reasons not to trust the order of its frames
    started_at: str = ""  # wall clock, ISO 8601 with zone, for the report only
    number: int = 0  # its number in the run, from 1
    attempt: int = 1  # more than 1 if it repeats an invalid trial
    earlier: tuple[Attempt, ...] = ()  # the attempts before it
    foreign: Foreign = NOTHING_FOREIGN  # other frames that arrived on its ports
    elsewhere: tuple[ForeignAt, ...] = ()  # the same at each other port of the tester where there were some
    waits: Waits | None = None  # before and after it; None: not known, or part of no test
    max_rate_error: Fraction = EvidenceLimits.max_rate_error  # its tester's limit; that of a burst is wider

    @property
    def traffic(self) -> str:
        """The law of departures and the number of flows of each stream, as people read them."""
        each = {stream.name: stream.traffic for stream in self.streams if stream.traffic}
        if len(set(each.values())) <= 1:
            return "".join(set(each.values()))
        return "; ".join(f"{name} {text}" for name, text in each.items())

    @property
    def left_load(self) -> Fraction:
        """The load that left: below the one that was asked for, where the tester fell behind."""
        intended = sum(s.intended_rate for s in self.streams)
        return self.load * sum(s.left_rate for s in self.streams) / intended if intended else self.load

    @property
    def sent(self) -> int:
        """Frames that left the tester."""
        return sum(s.counters.tx_packets for s in self.streams)

    @property
    def received(self) -> int:
        """Frames that arrived where they were expected."""
        return sum(s.counters.rx_packets for s in self.streams)

    @property
    def lost(self) -> int | None:
        """Frames sent and not received on the expected port; what is received twice does not hide them.

        None where nobody knows: the arrivals of a stream are not measured, or the tester cannot tell
        duplicates from frames that were overtaken.
        """
        return total(s.order.lost for s in self.streams)

    @property
    def loss(self) -> Fraction | None:
        """Frame loss rate (RFC 1242 §3.6), exact: lost / sent; 0 if nothing was sent."""
        return None if self.lost is None else self._part(self.lost)

    @property
    def loss_bounds(self) -> tuple[Fraction, Fraction] | None:
        """The least and the greatest frame loss rate that the counts allow; None if they tell nothing."""
        each = [s.order.loss_bounds for s in self.streams]
        known = [bounds for bounds in each if bounds]
        if len(known) < len(each):
            return None
        return self._part(sum(least for least, _ in known)), self._part(sum(most for _, most in known))

    def late_bounds(self, timeout: Duration) -> tuple[int, int] | None:
        """How many frames arrived later than a time, at least and at most; None where nobody knows.

        Arrivals are timed, copies among them: those may be what was late.
        """
        least = most = 0
        for stream in self.streams:
            counted, order = stream.counters.latency, stream.order
            if not stream.measured or (counted.count < order.first_arrivals):
                return None
            surely, maybe = late_bounds(counted, timeout.ns, stream.correction, stream.percentile_error)
            least += max(0, surely - order.copies[1])
            most += min(maybe, order.most_first_arrivals)
        return least, most

    def loss_bounds_within(self, timeout: Duration) -> tuple[Fraction, Fraction] | None:
        """The least and the greatest frame loss rate if frames that arrived later than a time are lost."""
        late = self.late_bounds(timeout)
        if self.loss_bounds is None or late is None:
            return None
        least, most = self.loss_bounds
        return min(Fraction(1), least + self._part(late[0])), min(Fraction(1), most + self._part(late[1]))

    @property
    def loss_ratio(self) -> float | None:
        """Frame loss rate as a number from 0 to 1; None where it is not known."""
        return None if self.loss is None else float(self.loss)

    def loses_at_most(self, bound: Fraction, timeout: Duration | None = None) -> bool | None:
        """Whether no greater part of the frames was lost than the bound; None where counts leave it open.

        With a timeout, frames that arrived later are lost, too.
        """
        bounds = self.loss_bounds if timeout is None else self.loss_bounds_within(timeout)
        if bounds is None:
            return None
        least, most = bounds
        return True if most <= bound else None if least <= bound else False

    def _part(self, lost: int) -> Fraction:
        return Fraction(lost, self.sent) if self.sent else Fraction(0)

    @property
    def loss_text(self) -> str:
        """The frame loss as people read it: `lost 4 (0.0040 %)`, or why it is not known."""
        if self.lost is not None and self.loss_ratio is not None:
            return f"lost {self.lost:,} ({percent(self.loss_ratio, 4)})"
        if self.loss_bounds is None:
            return "loss not measured"
        least, most = self.loss_bounds
        if most < 1:
            return f"loss {percent(least, 4)} to {percent(most, 4)}"
        known = f"loss is at least {percent(least, 4)}" if least else "loss is not known"
        return f"{known}: {self.loss_unknown}"

    @property
    def loss_unknown(self) -> str:
        """Why nobody knows how many frames were lost; empty where it is known."""
        if self.lost is not None:
            return ""
        apart = ", ".join(s.name for s in self.streams if not s.measured)
        if apart:
            return f"the arrivals of {apart} are not measured"
        blind = ", ".join(s.name for s in self.streams if not s.signed)
        if blind:
            return f"frames of {blind} have no signature, so copies may stand for lost ones"
        if self.order.duplicated is None:
            return "this tester does not count duplicates, and copies may stand for lost frames"
        if any(s.broadcast.behind_later for s in self.streams):
            return "frames that came behind a later one may be copies, and stand for lost frames"
        if any(s.copies and s.broadcast.most_incomplete != s.broadcast.incomplete for s in self.streams):
            return (
                "copies at other ports are counted together, so nobody knows of how many frames one is "
                "missing"
            )
        if any(s.copies and s.broadcast.incomplete is None for s in self.streams):
            return "this tester does not count the frames at other ports"
        if not self.order.late:
            return "several ports miss frames, and nobody knows how many of these are the same"
        return f"{self.order.late:,} frames came so late that they may be copies"

    @property
    def sending_ns(self) -> int:
        """How long it sent: as long as intended, or longer where the last frames left after that.

        Few frames take longer, too, as each has a gap behind it: 7 frames at 3 pps 2.33 s in a trial of 2 s.
        """
        spans = [
            s.counters.last_tx_ns - s.counters.first_tx_ns for s in self.streams if s.counters.first_tx_ns
        ]
        return max(self.duration_ns, *spans, *(s.sending_ns for s in self.streams))

    @property
    def no_rate(self) -> str:
        """Why its frames have no rate; empty if they have one. A gap is between two frames of a stream."""
        if not self.sent or any(s.counters.tx_packets > 1 for s in self.streams):
            return ""
        return "no stream has sent two frames, and fewer have no rate"

    @property
    def offered_rate(self) -> float | None:
        """Frames sent each second of sending; None where there are too few."""
        return self._each_second(self.sent)

    @property
    def achieved_rate(self) -> float:
        """Frames each second that left, each stream from its first departure to its last."""
        return sum(s.achieved_rate for s in self.streams)

    @property
    def rate_error(self) -> float:
        """(achieved - intended) / intended rate of the stream in which it is the greatest."""
        return float(self.evidence.rate_error)

    @property
    def gap_error(self) -> GapError:
        """How exactly the frames of all streams left."""
        return GapError.merged(s.counters.departures for s in self.streams)

    @property
    def received_rate(self) -> float | None:
        """Frames received each second of sending, those that arrive twice once.

        None where too few left, where arrivals are not measured, or where they may be copies.
        """
        arrivals = [(s.order.first_arrivals, s.order.most_first_arrivals) for s in self.streams]
        if not self._measured or any(least != most for least, most in arrivals):
            return None
        return self._each_second(sum(least for least, _ in arrivals))

    @property
    def _rate_text(self) -> str:
        """The rate of arrival as people read it; the greatest one that copies leave open."""
        if not self._measured:
            return "arrivals not measured"
        most = self._each_second(sum(s.order.most_first_arrivals for s in self.streams))
        if most is None:
            return self.no_rate
        return f"{'at most ' if self.received_rate is None else ''}{most:,.0f} pps"

    @property
    def _measured(self) -> bool:
        """Whether the arrivals of all its streams are counted."""
        return all(s.measured for s in self.streams)

    @property
    def throughput_bps(self) -> float | None:
        """Received bits of frames each second of sending (L2, FCS included); None as `received_rate`."""
        if self.received_rate is None:
            return None
        return self._each_second(8 * sum(s.first_octets for s in self.streams))

    def _each_second(self, count: float) -> float | None:
        return None if self.no_rate else count * 1e9 / self.sending_ns

    @property
    def latency(self) -> Latency:
        """Latency over all frames of all streams, less the calibrated delay of the tester."""
        return self.latency_as(DelayKind.AS_SEEN)

    def latency_as(self, kind: DelayKind) -> Latency:
        """The same between other instants (RFC 1242 §3.8)."""
        return Latency.merged(s.latency_as(kind) for s in self.streams)

    @property
    def variation(self) -> Variation:
        """How latency varied from frame to frame."""
        return Variation.merged(s.counters.variation for s in self.streams)

    @property
    def order(self) -> Order:
        """The order in which frames arrived, over all streams."""
        return Order.merged(s.order for s in self.streams)

    @property
    def not_sustained(self) -> str:
        """How far the delay grew where it grew all along, so that a queue was only filled; else empty."""
        grown = [(s.growth, s.name) for s in self.streams if s.growth and not s.growth.sustained]
        texts = [str(found) if len(self.streams) == 1 else f"{found} ({name})" for found, name in grown]
        return f"not sustained: {', '.join(texts)}" if texts else ""

    @property
    def misrouted(self) -> str:
        """Frames that arrived on other ports than expected, stream by stream; empty if none did."""
        return "; ".join(found for stream in self.streams if (found := stream.misrouted))

    @property
    def besides(self) -> tuple[str, ...]:
        """Remarks to stand beside every figure; none if each frame arrived unchanged or was lost."""
        order = self.order
        found = (
            self._silence,
            order.damage,
            f"{order.duplicated:,} duplicates arrived" if order.duplicated else "",
            self.misrouted,
            *(stream.duplicated_elsewhere for stream in self.streams),
            *(stream.octets.text for stream in self.streams if stream.measured),
            str(self.foreign),
            self.not_sustained,
            *(str(attempt) for attempt in self.earlier if attempt.is_unexplained),
        )
        return tuple(filter(None, found))

    @property
    def unconfirmed(self) -> str:
        """Why it does not show that the device loses nothing: an attempt before it did; empty if it does."""
        return unconfirmed(self.earlier, clean=self.lost == 0) if self.valid else ""

    def repeated_for(self, loss: Fraction) -> str:
        """An attempt before it that may have lost a greater part of its frames; empty if none may.

        A pause of the tester has an attempt repeated only if that lost frames. So where trials are counted by
        their loss, those that were repeated for it would make it look rarer.
        """
        lossy = (a for a in self.earlier if a.is_unexplained and (a.lost or 0) > loss * self.sent)
        return str(next(lossy, ""))

    @property
    def _silence(self) -> str:
        """Streams of which no frame arrived; of a trial of which none did, whether one arrived otherwise.

        Empty where a remark says it already.
        """
        if self.received:
            silent = [
                s.name
                for s in self.streams
                if s.measured and s.counters.tx_packets and not (s.counters.rx_packets or s.misrouted)
            ]
            return f"nothing of {_named(silent)} arrived" if silent else ""
        if not self.sent or self.order.damage or not self._measured:
            return ""
        return (
            "nothing arrived as it was sent"
            if self.foreign.frames or self.misrouted
            else "nothing arrived at all"
        )

    def stream(self, name: str) -> StreamResult:
        """The part of one stream. KeyError names those there are."""
        for stream in self.streams:
            if stream.name == name:
                return stream
        raise KeyError(f"the trial has no stream {name!r}; it has {', '.join(s.name for s in self.streams)}")

    def lost_by_pause(self, name: str) -> str:
        """See `StreamResult`. Empty for the only stream of a trial, of which its evidence says that."""
        return "" if len(self.streams) == 1 else self.stream(name).lost_by_pause

    @property
    def title(self) -> str:
        """Streams and frame size: `north, 64 bytes`; of many streams the first and the last one."""
        sizes = {s.size_text: None for s in sorted(self.streams, key=lambda s: s.mean_size)}
        return f"{_named([s.name for s in self.streams])}, {'/'.join(sizes)} bytes"

    def __str__(self) -> str:
        text = (
            f"{self.title}: {percent(self.load, 2)} for {self.duration_ns / 1e9:g} s, "
            f"sent {self.sent:,}, {self.loss_text}, {self._rate_text}"
        )
        if self.latency.count:
            text += f", latency {self.latency}"
        if self.gap_error.count:
            text += f", rate error {self.rate_error:+.1e}, gap error {self.gap_error}"
        if self.evidence.capture_dropped:
            text += f", {self.evidence.capture_dropped:,} frames missing in captures"
        return self.marked("; ".join((text, *self.besides, *self.findings, *self.evidence.remarks)))


def _named(streams: Sequence[str]) -> str:
    """Streams as a title has them."""
    if len(streams) > _NAMED:
        return f"{streams[0]} … {streams[-1]} ({len(streams)} streams)"
    return " + ".join(streams)
