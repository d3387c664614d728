# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every counter of the protocol arrives in the field that has its name, whatever counters there are."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import pytest
from google.protobuf.message import Message

from TesterLibrary._generated.tester.v1 import capture_pb2, counters, counters_pb2, query_pb2
from TesterLibrary.measurement.query import QueryCounters
from TesterLibrary.measurement.snapshot import (
    EndCounters,
    FlowCounters,
    LatencyCounters,
    OrderCounters,
    PortCounters,
    StreamCounters,
    VersionCounters,
)
from TesterLibrary.targets.engine import convert_counters

MESSAGES = {
    name: next(
        getattr(module, name) for module in (counters_pb2, capture_pb2, query_pb2) if hasattr(module, name)
    )
    for name in {key.partition(".")[0] for key in counters.DEFINITIONS}
}


def fill(message: Message, numbers: Iterator[int]) -> None:
    """Another value for each field, two for each that is repeated."""
    for field in message.DESCRIPTOR.fields:
        number = next(numbers)
        if field.message_type and field.is_repeated:
            for _ in range(2):
                fill(getattr(message, field.name).add(), numbers)
        elif field.message_type:
            fill(getattr(message, field.name), numbers)
        else:
            text = field.type == field.TYPE_STRING
            value: Any = str(number) if text else True if field.type == field.TYPE_BOOL else number
            value = str(number).encode() if field.type == field.TYPE_BYTES else value
            if field.is_repeated:
                getattr(message, field.name).extend([value, str(next(numbers)) if text else next(numbers)])
            else:
                setattr(message, field.name, value)


def differences(value: Any, message: Any, where: str) -> Iterator[str]:
    """Where a value is not that of a message."""
    if isinstance(message, counters_pb2.Uint128):
        message = message.high * 2**64 + message.low
    if isinstance(value, Mapping):
        message = {bucket.index: bucket.count for bucket in message}
    if isinstance(value, tuple):
        if len(value) != len(message):
            yield where
        for number, (mine, its) in enumerate(zip(value, message, strict=False)):
            yield from differences(mine, its, f"{where}[{number}]")
    elif isinstance(message, Message):
        names = [field.name for field in message.DESCRIPTOR.fields]
        if sorted(names) != sorted(field.name for field in dataclasses.fields(value)):
            yield f"{where} has other fields"
        for name in names:
            yield from differences(getattr(value, name), getattr(message, name), f"{where}.{name}")
    elif value != message:
        yield f"{where}: {value} is not {message}"


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_every_counter_arrives_in_its_place(name: str) -> None:
    message = MESSAGES[name]()
    fill(message, count(1))
    value = getattr(counters, name).from_message(message)
    assert list(differences(value, message, name)) == []
    numbers = [part for part in dataclasses.astuple(value) if type(part) is int]
    assert len(set(numbers)) == len(numbers), "each has a value of its own"


def test_a_snapshot_has_all_that_the_engine_sends() -> None:
    message = counters_pb2.Snapshot()
    fill(message, count(1))
    snapshot = convert_counters.snapshot_value(message, "us")
    parts = {
        field.name: "ends" if field.name == "responders" else field.name
        for field in message.DESCRIPTOR.fields
    }
    of_others = {"mixed", "clocks"}  # of a switch, and of several testers
    known = {field.name for field in dataclasses.fields(snapshot)} - of_others
    assert set(parts.values()) == known
    for name, mine in parts.items():
        assert list(differences(getattr(snapshot, mine), getattr(message, name), name)) == []


def test_values_of_more_than_one_field_are_what_they_mean() -> None:
    version = counters_pb2.VersionCounters(
        tx_time_ns=counters_pb2.Uint128(high=45, low=46), rx_time_ns=counters_pb2.Uint128(low=7)
    )
    stream = counters_pb2.StreamCounters(id=1, versions=[version])
    stream.latency.buckets.add(index=5, count=6)
    stream.order.behind = 3
    value = StreamCounters.from_message(stream)
    assert value.versions == (VersionCounters(tx_time_ns=45 * 2**64 + 46, rx_time_ns=7),)
    assert value.latency == LatencyCounters(buckets={5: 6})
    assert value.order == OrderCounters(behind=3)


def test_what_is_not_counted_is_none_and_what_begins_with_zero_is_zero() -> None:
    port = PortCounters.from_message(counters_pb2.PortCounters(name="p1", tx_errors=0))
    assert (port.rx_errors, port.tx_errors, port.rx_pause, port.rx_unseen) == (None, 0, None, None)
    assert port.rx_icmp_errors == ()  # the engine counts them
    stream = StreamCounters.from_message(counters_pb2.StreamCounters(id=1))
    assert (stream.outages, stream.variation, stream.departures) == (None, None, None)
    assert stream.latency == LatencyCounters()
    query = QueryCounters.from_message(query_pb2.QueryCounters(name="q"))
    assert (query.missed, query.worst_worker_gap_ns) == (0, None)
    assert VersionCounters().tx_time_ns == 0
    assert EndCounters("job", "name").flows is None


def test_every_counter_of_flows_arrives_in_its_place() -> None:
    message = counters_pb2.FlowCounters(first=1)
    columns = message.DESCRIPTOR.fields[1:]
    for number, column in enumerate(columns):
        getattr(message, column.name).extend([number, number + 100])
    pairs = [(number, number + 100) for number in range(len(columns))]
    assert FlowCounters.from_message(message) == FlowCounters(1, *pairs)


def test_a_job_names_all_but_this_client() -> None:
    job = counters_pb2.JobCounters(name="j", started_by="us, here", stopped_by="them", updated_by="us")
    (value,) = convert_counters.snapshot_value(counters_pb2.Snapshot(jobs=[job]), "us").jobs
    assert (value.started_by, value.stopped_by, value.updated_by) == ("", "them", "")


def test_what_is_not_known_of_a_stream_on_several_queues_is_absent() -> None:
    message = counters_pb2.StreamCounters(id=1, rx_misrouted_ports=["p3"], rx_misrouted_by_port=[5])
    message.order.next_sequence = 9
    message.order.duplicated = 2
    (stream,) = convert_counters.snapshot_value(counters_pb2.Snapshot(streams=[message]), "us").streams
    assert (stream.rx_misrouted_by_port, stream.rx_misrouted_behind) == ((5,), None)
    assert (stream.rx_out_of_order, stream.outages, stream.variation) == (None, None, None)
    order = stream.order
    assert (order.next_sequence, order.duplicated, order.behind, order.extent_max) == (9, 2, None, None)


def test_every_counter_is_defined() -> None:
    for name, definition in counters.DEFINITIONS.items():
        assert definition.help.endswith("."), name
        assert definition.counted_by, name


def test_counters_from_a_message_are_values_like_all_others() -> None:
    message = counters_pb2.StreamCounters(id=1, tx_packets=5, rx_corrupted=2)
    message.latency.buckets.add(index=5, count=6)
    stream = StreamCounters(
        1,
        tx_packets=5,
        rx_corrupted=2,
        latency=LatencyCounters(buckets={5: 6}),
        rx_misrouted_by_port=(),
        rx_misrouted_behind=(),
        rx_misrouted_damaged=(),
    )
    read = StreamCounters.from_message(message)
    assert dataclasses.replace(StreamCounters.from_message(message), tx_packets=7) == dataclasses.replace(
        stream, tx_packets=7
    )
    assert read == stream
    assert repr(read) == repr(stream)
    assert dataclasses.asdict(read) == dataclasses.asdict(stream)


def test_reading_a_message_changes_no_class() -> None:
    before = dict(vars(StreamCounters))
    message = counters_pb2.StreamCounters(id=1)
    assert StreamCounters.from_message(message).latency == LatencyCounters()
    assert dict(vars(StreamCounters)) == before
