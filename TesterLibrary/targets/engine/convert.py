# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Between the library's values and the messages of `proto/tester/v1`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ..._generated.tester.v1 import control_pb2, counters_pb2, plan_pb2
from ...measurement.counter import EVERY_COUNTER
from ...measurement.job_counters import JobCounters, PollGaps
from ...measurement.snapshot import (
    ClockCounters,
    DepartureCounters,
    FlowCounters,
    IcmpErrorCounters,
    LatencyCounters,
    OrderCounters,
    OutageCounters,
    PortCounters,
    PortVersionCounters,
    Snapshot,
    StreamCounters,
    VariationCounters,
    VersionCounters,
    WorkerCounters,
)
from ...model.plan import LearningFrame, Plan, PlannedStream
from ..base import Capabilities, PortInfo, Progress
from .convert_capture import counters_value
from .convert_departures import departures_message
from .convert_edit import checksum_message, editor_message, version_message
from .convert_end import end_counters, responder_message


def job_message(plan: Plan) -> plan_pb2.Job:
    """A plan as the engine loads it. Learning frames are no part of it; they are injected."""
    by_port = groupby(sorted(plan.neighbours, key=lambda n: n.port), key=lambda n: n.port)
    return plan_pb2.Job(
        name=plan.job,
        streams=[stream_message(stream) for stream in plan.streams],
        neighbour_responders=[
            plan_pb2.NeighbourResponder(
                port=port,
                neighbours=[plan_pb2.Neighbour(address=n.address.packed, mac=n.mac) for n in neighbours],
            )
            for port, neighbours in by_port
        ],
        responders=map(responder_message, plan.ends),
    )


def stream_message(stream: PlannedStream) -> plan_pb2.Stream:
    """A stream as the engine loads it, or changes to it."""
    return plan_pb2.Stream(
        id=stream.id,
        name=stream.name,
        tx_port=stream.tx_port,
        rx_port=stream.rx_port,
        frames=stream.frames,
        signature=stream.signature,
        departures=departures_message(stream.departures),
        order=stream.order,
        editors=map(editor_message, stream.editors),
        checksums=map(checksum_message, stream.checksums),
        flows=stream.flows,
        version=version_message(stream.version) if stream.version else None,
        matches=[plan_pb2.Match(offset=m.offset, mask=m.mask, value=m.value) for m in stream.matches],
        payload_offset=stream.payload_offset,
    )


def inject_messages(frames: Iterable[LearningFrame], most: int) -> Iterator[control_pb2.InjectRequest]:
    """Requests of at most so many frames, in the order of the frames."""
    for port, group in groupby(frames, key=lambda frame: frame.port):
        waiting = [frame.frame for frame in group]
        for first in range(0, len(waiting), most):
            yield control_pb2.InjectRequest(port=port, frames=waiting[first : first + most])


def capabilities_value(info: control_pb2.GetInfoResponse) -> Capabilities:
    """Who an engine says it is."""
    cpus = ", ".join(map(str, info.worker_cpus))
    return Capabilities(
        target="engine",
        version=info.version,
        ports=tuple(
            PortInfo(
                name=port.name,
                driver=port.driver,
                driver_reason=port.driver_reason,
                mac=port.mac,
                link_speed_bps=port.link_speed_bps,
                link_up=port.link_up,
                max_frame_size=port.max_frame_bytes,
                interface=port.interface,
                notes=tuple(port.notes),
                rehearses=port.rehearses if port.HasField("rehearses") else None,
            )
            for port in info.ports
        ),
        max_streams=info.limits.max_streams,
        max_ends=info.limits.max_responders,
        max_end_flows=info.limits.max_responder_flows,
        counts=EVERY_COUNTER,
        details=f"testerd {info.version}, {info.dpdk_version}, workers on CPU {cpus}, process {info.pid}",
    )


def progress_value(progress: control_pb2.Progress) -> Progress:
    """How far running jobs are."""
    return Progress(
        tx_packets=progress.tx_packets,
        rx_packets=progress.rx_packets,
        intended_packets=progress.intended_packets,
        sending=progress.sending,
    )


def snapshot_value(snapshot: counters_pb2.Snapshot, client: str) -> Snapshot:
    """Counters as they are; nothing is derived here. `client` is how the tester names who asks."""
    return Snapshot(
        taken_at_ns=snapshot.taken_at_ns,
        ports=tuple(_port(port) for port in snapshot.ports),
        streams=tuple(_stream(stream) for stream in snapshot.streams),
        workers=tuple(_worker(worker) for worker in snapshot.workers),
        clock=ClockCounters(
            engine_start_ns=snapshot.clock.engine_start_ns,
            raw_start_ns=snapshot.clock.raw_start_ns,
            engine_now_ns=snapshot.clock.engine_now_ns,
            raw_now_ns=snapshot.clock.raw_now_ns,
        ),
        ends=tuple(end_counters(own) for own in snapshot.responders),
        captures=tuple(map(counters_value, snapshot.captures)),
        jobs=tuple(_job(job, client) for job in snapshot.jobs),
    )


def _job(job: counters_pb2.JobCounters, client: str) -> JobCounters:
    def others(name: str) -> str:
        return "" if name.startswith(client) else name

    return JobCounters(
        name=job.name,
        starts=job.starts,
        started_at_ns=job.started_at_ns,
        started_by=others(job.started_by),
        asked_duration_ns=job.asked_duration_ns,
        asked_packets=job.asked_packets,
        stopped_at_ns=job.stopped_at_ns,
        stopped_by=others(job.stopped_by),
        stopped_streams=tuple(job.stopped_streams),
        updates=job.updates,
        updated_by=others(job.updated_by),
        polls=tuple(PollGaps(p.port, p.worst_ns, p.late, _buckets(p.buckets)) for p in job.polls),
    )


def _port(port: counters_pb2.PortCounters) -> PortCounters:
    return PortCounters(
        name=port.name,
        tx_packets=port.tx_packets,
        tx_bytes=port.tx_bytes,
        tx_refused=port.tx_refused,
        rx_packets=port.rx_packets,
        rx_bytes=port.rx_bytes,
        rx_missed=port.rx_missed,
        rx_foreign=port.rx_foreign,
        rx_misrouted=port.rx_misrouted,
        link_downs=port.link_downs,
        link_up=port.link_up,
        kernel_dropped=port.kernel_dropped,
        neighbour_replies=port.neighbour_replies,
        rx_errors=port.rx_errors if port.HasField("rx_errors") else None,
        tx_errors=port.tx_errors if port.HasField("tx_errors") else None,
        rx_pause=port.rx_pause if port.HasField("rx_pause") else None,
        obeys_pause=port.obeys_pause,
        rx_unseen=port.rx_unseen if port.HasField("rx_unseen") else None,
        faults=tuple(port.objections),
        versions=tuple(
            PortVersionCounters(v.tx_packets, v.tx_bytes, v.rx_packets, v.rx_bytes) for v in port.versions
        ),
        rx_stale=port.rx_stale,
        rx_malformed=port.rx_malformed,
        rx_fragments=port.rx_fragments,
        rx_icmp_errors=tuple(
            IcmpErrorCounters(e.ip_version, e.type, e.code, e.frames) for e in port.rx_icmp_errors
        ),
    )


def _stream(stream: counters_pb2.StreamCounters) -> StreamCounters:
    return StreamCounters(
        id=stream.id,
        intended_packets=stream.intended_packets,
        tx_packets=stream.tx_packets,
        tx_bytes=stream.tx_bytes,
        first_tx_ns=stream.first_tx_ns,
        last_tx_ns=stream.last_tx_ns,
        worst_lateness_ns=stream.worst_lateness_ns,
        rx_packets=stream.rx_packets,
        rx_bytes=stream.rx_bytes,
        first_rx_ns=stream.first_rx_ns,
        last_rx_ns=stream.last_rx_ns,
        rx_misrouted=stream.rx_misrouted,
        rx_misrouted_ports=tuple(stream.rx_misrouted_ports),
        rx_out_of_order=stream.rx_out_of_order,
        latency=LatencyCounters(
            count=stream.latency.count,
            sum_ns=stream.latency.sum_ns,
            min_ns=stream.latency.min_ns,
            max_ns=stream.latency.max_ns,
            buckets=_buckets(stream.latency.buckets),
        ),
        sending=stream.sending,
        versions=tuple(_version(version) for version in stream.versions),
        open_version=stream.open_version,
        rx_version_rewritten=stream.rx_version_rewritten,
        rx_corrupted=stream.rx_corrupted,
        rx_wrong_length=stream.rx_wrong_length,
        rx_fragments=stream.rx_fragments,
        rx_before_sent=stream.rx_before_sent,
        order=OrderCounters(
            next_sequence=stream.order.next_sequence,
            duplicated=stream.order.duplicated,
            late=stream.order.late,
            extent_sum=stream.order.extent_sum,
            extent_max=stream.order.extent_max,
            extents=_buckets(stream.order.extents),
            behind=stream.rx_out_of_order + stream.order.duplicated,
        ),
        outages=_outages(stream.outages),
        variation=VariationCounters(
            jitter_16_ns=stream.variation.jitter_16_ns,
            ipdv_count=stream.variation.ipdv_count,
            ipdv_sum_ns=stream.variation.ipdv_sum_ns,
            ipdv_min_ns=stream.variation.ipdv_min_ns,
            ipdv_max_ns=stream.variation.ipdv_max_ns,
        ),
        departures=DepartureCounters(
            count=stream.departures.count,
            sum_ns=stream.departures.sum_ns,
            max_ns=stream.departures.max_ns,
            buckets=_buckets(stream.departures.buckets),
        ),
    )


def _buckets(buckets: Iterable[counters_pb2.Bucket]) -> dict[int, int]:
    return {bucket.index: bucket.count for bucket in buckets}


def _version(version: counters_pb2.VersionCounters) -> VersionCounters:
    return VersionCounters(
        tx_packets=version.tx_packets,
        tx_bytes=version.tx_bytes,
        tx_time_ns=version.tx_time_high << 64 | version.tx_time_low,
        rx_packets=version.rx_packets,
        rx_bytes=version.rx_bytes,
        rx_time_ns=version.rx_time_high << 64 | version.rx_time_low,
    )


def _outages(outages: counters_pb2.Outages) -> OutageCounters:
    return OutageCounters(
        count=outages.count,
        total_ns=outages.total_ns,
        lost=outages.lost,
        longest_ns=outages.longest_ns,
        longest_start_ns=outages.longest_start_ns,
        longest_lost=outages.longest_lost,
    )


def _worker(worker: counters_pb2.WorkerCounters) -> WorkerCounters:
    return WorkerCounters(
        lcore=worker.lcore,
        cpu=worker.cpu,
        loops=worker.loops,
        idle_loops=worker.idle_loops,
        worst_gap_ns=worker.worst_gap_ns,
        late_polls=worker.late_polls,
        waited_ns=worker.waited_ns,
        preemptions=worker.preemptions,
        steal_ns=worker.steal_ns,
        idle_ns=worker.idle_ns,
    )


def flows_value(flows: counters_pb2.FlowCounters) -> FlowCounters:
    """A chunk of the flows of a stream."""
    return FlowCounters(
        first=flows.first,
        tx_packets=tuple(flows.tx_packets),
        rx_packets=tuple(flows.rx_packets),
        rx_bytes=tuple(flows.rx_bytes),
        latency_sum_ns=tuple(flows.latency_sum_ns),
        latency_min_ns=tuple(flows.latency_min_ns),
        latency_max_ns=tuple(flows.latency_max_ns),
    )
