# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Integer counters of a tester at one instant. Mirrors `counters.proto`, where each is defined.

A counter that may be None is None where the target does not count it; `counter.py` names those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .capture import CaptureCounters
from .job_counters import JobCounters


@dataclass(frozen=True)
class LatencyCounters:
    """Latency of every received frame; `buckets` maps the index of `histogram.py` to a count."""

    count: int = 0
    sum_ns: int = 0
    min_ns: int = 0
    max_ns: int = 0
    buckets: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class DepartureCounters:
    """|gap - intended gap| of frames that left; `buckets` maps the index of `histogram.py` to a count."""

    count: int = 0
    sum_ns: int = 0
    max_ns: int = 0
    buckets: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class VersionCounters:
    """Frames of one of a stream's two versions. The sums of times, in ns, have an unknown base in common."""

    tx_packets: int = 0
    tx_bytes: int = 0
    tx_time_ns: int | None = 0
    rx_packets: int = 0
    rx_bytes: int = 0
    rx_time_ns: int | None = 0


@dataclass(frozen=True)
class OrderCounters:
    """In which order frames of a stream arrived; `extents` maps the index of `histogram.py` to a count.

    `behind` counts arrivals below the highest sequence seen, for the first time or again: a target that
    cannot tell the two apart has it in place of `duplicated` and `StreamCounters.rx_out_of_order`.
    """

    next_sequence: int | None = None
    duplicated: int | None = None
    late: int | None = None
    extent_sum: int | None = None
    extent_max: int | None = None
    extents: Mapping[int, int] = field(default_factory=dict)
    behind: int | None = None


@dataclass(frozen=True)
class OutageCounters:
    """Gaps between arrivals in which frames of a stream are missing."""

    count: int = 0
    total_ns: int = 0
    lost: int = 0
    longest_ns: int = 0
    longest_start_ns: int = 0
    longest_lost: int = 0


@dataclass(frozen=True)
class VariationCounters:
    """How the latency of a stream varies from frame to frame."""

    jitter_16_ns: int = 0  # sixteen times the interarrival jitter
    ipdv_count: int = 0
    ipdv_sum_ns: int = 0  # of absolute values
    ipdv_min_ns: int = 0
    ipdv_max_ns: int = 0


@dataclass(frozen=True)
class StreamCounters:
    """Since the stream's last start. Bytes include the FCS."""

    id: int
    intended_packets: int = 0
    tx_packets: int = 0
    tx_bytes: int = 0
    first_tx_ns: int = 0
    last_tx_ns: int = 0
    worst_lateness_ns: int = 0
    rx_packets: int = 0
    rx_bytes: int = 0
    first_rx_ns: int = 0
    last_rx_ns: int = 0
    rx_misrouted: int | None = None
    rx_out_of_order: int | None = None
    latency: LatencyCounters = LatencyCounters()
    sending: bool = False
    versions: tuple[VersionCounters, ...] = ()  # two, or none for a stream without
    open_version: int = 0
    rx_version_rewritten: int | None = None
    rx_corrupted: int | None = None
    order: OrderCounters = OrderCounters()
    outages: OutageCounters | None = None
    variation: VariationCounters | None = None
    departures: DepartureCounters | None = None
    rx_misrouted_ports: tuple[str, ...] = ()  # where those of rx_misrouted arrived, as far as it knows
    rx_wrong_length: int | None = None
    rx_fragments: int | None = None
    rx_before_sent: int | None = None  # by their stamps; their delay counts as 0


@dataclass(frozen=True)
class PortVersionCounters:
    """Frames of one version of all streams that have one, on a port, since the tester was opened."""

    tx_packets: int = 0
    tx_bytes: int = 0
    rx_packets: int = 0
    rx_bytes: int = 0


@dataclass(frozen=True)
class IcmpErrorCounters:
    """ICMP errors of one kind that arrived on a port."""

    ip_version: int
    type: int
    code: int
    frames: int

    @property
    def kind(self) -> tuple[int, int, int]:
        """IP version, type and code."""
        return self.ip_version, self.type, self.code


@dataclass(frozen=True)
class PortCounters:
    """Since the tester started. Bytes include the FCS."""

    name: str
    tx_packets: int = 0
    tx_bytes: int = 0
    tx_refused: int | None = None
    rx_packets: int = 0
    rx_bytes: int = 0
    rx_missed: int | None = None
    rx_foreign: int = 0
    kernel_dropped: int | None = None
    neighbour_replies: int = 0
    versions: tuple[PortVersionCounters, ...] = ()  # version 0 and 1
    rx_misrouted: int | None = None  # of streams that are expected at other ports; not in rx_foreign
    link_downs: int | None = None  # how often its link was lost
    link_up: bool = True  # now
    rx_errors: int | None = None  # arrived damaged: FCS or length
    tx_errors: int | None = None  # taken by the port, and not sent
    rx_pause: int | None = None  # PAUSE frames that arrived
    obeys_pause: bool = False  # they stop the port: flow control could not be switched off
    rx_unseen: int | None = None  # received by the kernel's interface; neither received nor missed here
    faults: tuple[str, ...] = ()  # why no trial over the port is to be trusted
    # Of those of rx_foreign:
    rx_stale: int | None = None  # with a signature of the past
    rx_malformed: int | None = None
    rx_fragments: int | None = None
    rx_icmp_errors: tuple[IcmpErrorCounters, ...] | None = None


@dataclass(frozen=True)
class WorkerCounters:
    """Of one worker since the tester started."""

    lcore: int
    cpu: int = 0
    loops: int = 0
    idle_loops: int = 0
    worst_gap_ns: int = 0
    late_polls: int = 0
    waited_ns: int = 0
    preemptions: int = 0
    steal_ns: int = 0
    idle_ns: int = 0


@dataclass(frozen=True)
class ClockCounters:
    """The tester's clock beside CLOCK_MONOTONIC_RAW when the tester started and now, in nanoseconds."""

    engine_start_ns: int = 0
    raw_start_ns: int = 0
    engine_now_ns: int = 0
    raw_now_ns: int = 0


@dataclass(frozen=True)
class FlowCounters:
    """Of the flows `first`, `first` + 1, ... of a stream since its last start, one value for each flow."""

    first: int
    tx_packets: Sequence[int] = ()
    rx_packets: Sequence[int] = ()
    rx_bytes: Sequence[int] = ()
    latency_sum_ns: Sequence[int] = ()
    latency_min_ns: Sequence[int] = ()
    latency_max_ns: Sequence[int] = ()


@dataclass(frozen=True)
class DurationCounters:
    """Times in microseconds; `buckets` maps the index of `histogram.py` to a count."""

    count: int = 0
    sum_us: int = 0
    min_us: int = 0
    max_us: int = 0
    buckets: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class EndCounters:
    """Of a responder or of clients since the last start of their job.

    Counters and histograms are those of the tables of the protocol, the lowest one first.
    """

    job: str
    name: str
    answering: bool = False
    opening: bool = False
    counters: tuple[int, ...] = ()
    histograms: tuple[DurationCounters, ...] = ()
    rx_packets: int = 0
    rx_bytes: int | None = None
    tx_packets: int = 0
    tx_bytes: int | None = None
    foreign: int | None = None
    malformed: int | None = None
    openings: int = 0
    put_off: int = 0
    flows_begun: int | None = None
    flows_ended: int | None = None
    flows_failed: int | None = None
    flows: int | None = None
    most_flows: int | None = None
    full: int | None = None
    endless: int | None = None
    too_long: int | None = None
    not_sent: int = 0


@dataclass(frozen=True)
class Snapshot:
    """Everything a target counts, read at one instant of its own clock."""

    taken_at_ns: int
    ports: tuple[PortCounters, ...] = ()
    streams: tuple[StreamCounters, ...] = ()
    workers: tuple[WorkerCounters, ...] = ()  # none where the target has none
    clock: ClockCounters | None = None
    captures: tuple[CaptureCounters, ...] = ()
    ends: tuple[EndCounters, ...] = ()
    jobs: tuple[JobCounters, ...] = ()

    def job(self, name: str) -> JobCounters | None:
        """What became of one job; None where the target does not tell."""
        return next((job for job in self.jobs if job.name == name), None)

    def end(self, job: str, name: str) -> EndCounters:
        """The counters of one end of a job. KeyError if the snapshot has none of that name."""
        for own in self.ends:
            if (own.job, own.name) == (job, name):
                return own
        raise KeyError(f"no end {name!r} of {job!r} in the snapshot; it has {[e.name for e in self.ends]}")

    def port(self, name: str) -> PortCounters:
        """The counters of one port. KeyError if the snapshot has none of that name."""
        for port in self.ports:
            if port.name == name:
                return port
        raise KeyError(f"no port {name!r} in the snapshot; it has {[p.name for p in self.ports]}")

    def stream(self, stream_id: int) -> StreamCounters:
        """The counters of one stream. KeyError if the snapshot has none of that id."""
        for stream in self.streams:
            if stream.id == stream_id:
                return stream
        raise KeyError(f"no stream {stream_id} in the snapshot; it has {[s.id for s in self.streams]}")
