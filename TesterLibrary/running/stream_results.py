# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The results of the streams of a trial, from their counters."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from ..measurement.departure import has_span, is_scheduled, rate_error, sending_ns
from ..measurement.evidence import EvidenceLimits
from ..measurement.snapshot import StreamCounters, without_signature
from ..measurement.stream_result import StreamResult
from ..model.plan.law import Departures, Replay
from ..model.plan.plan import Plan, PlannedStream
from ..model.units.units import MIN_FRAME_SIZE
from ..planning.flows import FlowSpace

_CLOCKS_APART_NS = 10**6  # what clocks of the tester's CPUs differ by, at most
_TYPE, _TAGS = slice(12, 14), (b"\x81\x00", b"\x88\xa8")  # of a frame; EtherTypes of VLAN tags


def stamp_objections(
    streams: Sequence[PlannedStream],
    counters: Mapping[int, StreamCounters],
    between_clocks: Collection[int] = (),
) -> Iterator[str]:
    """Why the order of departures and arrivals of streams is not to be trusted.

    `between_clocks` are the ids of streams whose delays two testers measure: the error of their clocks, which
    each figure has, is more than the delay of frames that seem to arrive before they are sent.
    """
    for stream in streams:
        counted = counters[stream.id]
        if counted.rx_before_sent and stream.id not in between_clocks:
            yield (
                f"{counted.rx_before_sent:,} of {counted.rx_packets:,} frames of {stream.name} arrived "
                "before they were sent, by the clocks of the tester's CPUs, which differ"
            )
        elif not stream.signature and 0 < counted.first_rx_ns < counted.first_tx_ns - _CLOCKS_APART_NS:
            yield (
                f"frames that look like those of {stream.name} arrived before its first one was sent; "
                "without signature they are not told apart, so give `Create Stream` signature=True"
            )


def duration_of(
    streams: Sequence[PlannedStream], counters: Mapping[int, StreamCounters], changed: Collection[int]
) -> int:
    """Time that all frames take, from the first one on, with the gap behind the last one.

    As their laws say it, where these say it of all streams.
    """
    sent = [stream for stream in streams if counters[stream.id].tx_packets]
    by_law = all(is_scheduled(_departures(stream, changed)) for stream in sent)
    begins, ends = [], []
    for stream in sent:
        counted = counters[stream.id]
        gap_ns = 1 / stream.rate if stream.rate else 1  # of a single frame
        spread_ns = stream.departures.phase_ns if stream.departures.spread else 0
        begins.append(stream.departures.due(0) - spread_ns if by_law else counted.first_tx_ns)
        ends.append(begins[-1] + (sending_ns(_departures(stream, changed), counted) or gap_ns))
    return max(1, int(max(ends) - min(begins))) if sent else 1


def _departures(stream: PlannedStream, changed: Collection[int]) -> Departures | None:
    """The departures of a stream; None where it was changed meanwhile."""
    return None if stream.id in changed else stream.departures


def stream_result(
    planned: PlannedStream, counted: StreamCounters, duration_ns: int, changed: Collection[int]
) -> StreamResult:
    """The result of a stream. A frame size and rate that only the tester knew follow from its counters."""
    departures = _departures(planned, changed)
    size = planned.frame_size or Fraction(counted.tx_bytes, max(1, counted.tx_packets))
    return StreamResult(
        name=planned.name,
        tx_port=planned.tx_port,
        rx_port=planned.rx_port,
        frame_size=max(MIN_FRAME_SIZE, round(size)),
        sizes=planned.mix,
        intended_rate=planned.frames_per_second or Fraction(counted.intended_packets * 10**9, duration_ns),
        counters=counted if planned.signature else without_signature(counted),
        rate_error=rate_error(departures, counted),
        sending_ns=int(sending_ns(departures, counted) or 0) if has_span(departures, counted) else 0,
        measured=planned.measured,
        signed=planned.signature,
        law=str(planned.departures) + ", changed meanwhile" * (planned.id in changed),
        different=_flows(planned),
    )


def limits_of_files(plan: Plan, limits: EvidenceLimits) -> EvidenceLimits:
    """The limits for streams of which some replay files with their gaps: few frames tell less than many."""
    laws = [stream.departures.law for stream in plan.streams]
    replays = [law for law in laws if isinstance(law, Replay) and law.totals and not law.fixed]
    spans = [law.span_ns(law.totals.frames * (law.repetitions or 1)) for law in replays if law.totals]
    known = [span_ns for span_ns in spans if span_ns]
    return limits.of_captured(min(known)) if known else limits


def _flows(planned: PlannedStream) -> int | None:
    """How many combinations of values its edited fields have; None of random ones, and of a file."""
    return FlowSpace.of(planned).flows if planned.frames else None


def is_tagged(stream: PlannedStream) -> bool:
    """Whether frames of a stream have a VLAN tag."""
    return any(frame[_TYPE] in _TAGS for frame in stream.frames)


def octet_objections(streams: Collection[StreamResult]) -> Iterator[str]:
    """Why the bytes of measured streams are not to be trusted."""
    return (s.octets.objection for s in streams if s.measured and s.octets.objection)
