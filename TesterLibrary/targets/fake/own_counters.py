# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The counters of one of several testers: those of frames that pass its own ports."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from ...measurement.job_counters import JobCounters
from ...measurement.snapshot import FlowCounters, OrderCounters, Snapshot, StreamCounters, VersionCounters
from ...model.plan.plan import Plan, PlannedStream


class SharedReading:
    """A snapshot of the whole tester, and the parts of its testers."""

    def __init__(self, whole: Snapshot, plans: Mapping[str, Plan]) -> None:
        """`plans` are those of loaded jobs."""
        self.whole = whole
        self._streams = {stream.id: stream for plan in plans.values() for stream in plan.streams}
        self._ends = {(plan.job, end.name): end.port for plan in plans.values() for end in plan.ends}
        # Of testers that have neither end of a stream: most testers, if there are many.
        self._elsewhere = {s.id: _without_departures(_without_arrivals(s)) for s in whole.streams}

    def of(self, ports: Collection[str]) -> Snapshot:
        """The part that a tester with these ports can know."""
        return replace(
            self.whole,
            ports=tuple(port for port in self.whole.ports if port.name in ports),
            streams=tuple(self._own_stream(counters, ports) for counters in self.whole.streams),
            ends=tuple(end for end in self.whole.ends if self._ends[end.job, end.name] in ports),
            jobs=tuple(_own_job(job, self._streams, ports) for job in self.whole.jobs),
        )

    def _own_stream(self, counters: StreamCounters, ports: Collection[str]) -> StreamCounters:
        stream = self._streams[counters.id]
        sends, receives = stream.tx_port in ports, stream.rx_port in ports
        if not (sends or receives):
            counters = self._elsewhere[counters.id]
        elif not receives:
            counters = _without_arrivals(counters)
        elif not sends:
            counters = _without_departures(counters)
        return _with_own_strays(counters, ports)


def own_flows(flows: FlowCounters, stream: PlannedStream, ports: Collection[str]) -> FlowCounters:
    """The part of the counters of flows that a tester with these ports can know."""
    nothing = (0,) * len(flows.tx_packets)
    if stream.tx_port not in ports:
        flows = replace(flows, tx_packets=nothing)
    if stream.rx_port not in ports:
        flows = FlowCounters(flows.first, flows.tx_packets, nothing, nothing, nothing, nothing, nothing)
    return flows


def _without_arrivals(counters: StreamCounters) -> StreamCounters:
    return StreamCounters(
        id=counters.id,
        intended_packets=counters.intended_packets,
        tx_packets=counters.tx_packets,
        tx_bytes=counters.tx_bytes,
        first_tx_ns=counters.first_tx_ns,
        last_tx_ns=counters.last_tx_ns,
        worst_lateness_ns=counters.worst_lateness_ns,
        given_up_packets=counters.given_up_packets,
        departures=counters.departures,
        sending=counters.sending,
        open_version=counters.open_version,
        versions=tuple(
            VersionCounters(version.tx_packets, version.tx_bytes, version.tx_time_ns, 0, 0, None)
            for version in counters.versions
        ),
        order=OrderCounters(0, 0, 0, 0, 0, {}, 0),
        rx_misrouted=counters.rx_misrouted,
        rx_misrouted_ports=counters.rx_misrouted_ports,
        rx_misrouted_by_port=counters.rx_misrouted_by_port,
        rx_misrouted_behind=counters.rx_misrouted_behind,
    )


def _without_departures(counters: StreamCounters) -> StreamCounters:
    return replace(
        counters,
        intended_packets=0,
        tx_packets=0,
        tx_bytes=0,
        first_tx_ns=0,
        last_tx_ns=0,
        worst_lateness_ns=0,
        given_up_packets=None,
        departures=None,
        sending=False,
        open_version=0,
        versions=tuple(
            replace(version, tx_packets=0, tx_bytes=0, tx_time_ns=None) for version in counters.versions
        ),
    )


def _with_own_strays(counters: StreamCounters, ports: Collection[str]) -> StreamCounters:
    if counters.rx_misrouted == 0 and counters.rx_misrouted_by_port == counters.rx_misrouted_behind == ():
        return counters
    strays = zip(
        counters.rx_misrouted_ports,
        counters.rx_misrouted_by_port or (),
        counters.rx_misrouted_behind or (),
        strict=True,
    )
    own = [stray for stray in strays if stray[0] in ports]
    return replace(
        counters,
        rx_misrouted=sum(frames for _, frames, _ in own),
        rx_misrouted_ports=tuple(port for port, _, _ in own),
        rx_misrouted_by_port=tuple(frames for _, frames, _ in own),
        rx_misrouted_behind=tuple(behind for _, _, behind in own),
    )


def _own_job(job: JobCounters, streams: Mapping[int, PlannedStream], ports: Collection[str]) -> JobCounters:
    stopped = tuple(number for number in job.stopped_streams if streams[number].tx_port in ports)
    return replace(
        job,
        stopped_streams=stopped,
        polls=tuple(polls for polls in job.polls if polls.port in ports),
    )
