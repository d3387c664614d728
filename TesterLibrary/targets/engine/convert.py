# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Between the library's values and the messages of `proto/tester/v1`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ..._generated.tester.v1 import control_pb2, match_pb2, plan_pb2
from ...measurement.counter import EVERY_COUNTER
from ...model.plan.plan import LearningFrame, Plan, PlannedField, PlannedStream
from ..base import Capabilities, PortInfo, SendingProgress
from .convert_departures import departures_message
from .convert_edit import checksum_message, editor_message, version_message
from .convert_end import responder_message
from .convert_inline import path_message, stamps_message

_COMPARISONS = {
    "==": plan_pb2.ExpectedField.COMPARISON_EQUAL,
    "!=": plan_pb2.ExpectedField.COMPARISON_NOT_EQUAL,
    "<": plan_pb2.ExpectedField.COMPARISON_LESS,
    "<=": plan_pb2.ExpectedField.COMPARISON_AT_MOST,
    ">": plan_pb2.ExpectedField.COMPARISON_GREATER,
    ">=": plan_pb2.ExpectedField.COMPARISON_AT_LEAST,
}

_OVERTAKE = "flows may overtake each other"  # in the engine's note on a port of several channels


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
        paths=map(path_message, plan.paths),
        stamps=map(stamps_message, plan.stamps),
    )


def stream_message(stream: PlannedStream) -> plan_pb2.Stream:
    """A stream as the engine loads it, or changes to it."""
    message = plan_pb2.Stream(
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
        matches=[match_pb2.Match(offset=m.offset, mask=m.mask, value=m.value) for m in stream.matches],
        payload_offset=stream.payload_offset,
        kept_headers=stream.kept_headers,
        expected_fields=map(expected_field_message, stream.expected_fields),
    )
    if clock := stream.sender_clock:
        message.sender_clock.ahead_ns = clock.ahead_ns
        message.sender_clock.within_ns = clock.within_ns
        message.sender_clock.SetInParent()
    return message


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
                reorders=next((note for note in port.notes if _OVERTAKE in note), ""),
                rehearses=port.rehearses if port.HasField("rehearses") else None,
                queue_cpus=tuple(port.queue_cpus),
            )
            for port in info.ports
        ),
        max_streams=info.limits.max_streams,
        max_ends=info.limits.max_responders,
        max_end_flows=info.limits.max_responder_flows,
        max_paths=info.limits.max_paths,
        max_stamps=info.limits.max_stamps,
        counts=EVERY_COUNTER,
        details=f"testerd {info.version}, {info.dpdk_version}, workers on CPU {cpus}, process {info.pid}",
    )


def progress_value(progress: control_pb2.Progress) -> SendingProgress:
    """How far running jobs are."""
    return SendingProgress(
        tx_packets=progress.tx_packets,
        rx_packets=progress.rx_packets,
        intended_packets=progress.intended_packets,
        sending=progress.sending,
    )


def expected_field_message(field: PlannedField) -> plan_pb2.ExpectedField:
    """A field and how it has to arrive."""
    relation = field.relation
    message = plan_pb2.ExpectedField(
        name=field.name,
        bit_offset=field.bit_offset,
        bits=field.bits,
        comparison=_COMPARISONS[relation.comparison],
    )
    if relation.of_sent:
        message.sent.difference = relation.difference
        for sent, arrives in relation.rewritten.items():
            message.sent.rewritten.add(sent=sent, arrives=arrives)
        message.sent.SetInParent()
    else:
        message.values.values.extend(relation.values)
    return message
