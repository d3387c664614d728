# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters from messages of `counters.proto`: field by field, by the names that both sides share.

Nothing is derived here. A field that is absent from the message is None.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from ..._generated.tester.v1 import counters_pb2
from ..._generated.tester.v1.counters_pb2 import Uint128
from ...measurement.capture import CaptureCounters
from ...measurement.job_counters import JobCounters
from ...measurement.query import QueryCounters
from ...measurement.snapshot import (
    ClockCounters,
    EndCounters,
    FlowCounters,
    PathCounters,
    PortCounters,
    Snapshot,
    StampCounters,
    StampFlowCounters,
    StampIntervalCounters,
    StreamCounters,
    WorkerCounters,
)

T = TypeVar("T")
_MESSAGE = "_message"  # in the dictionary of counters: where their parts are read
_Reader = Callable[[Any], Any]


class Buckets(Mapping[int, int]):
    """The buckets of a histogram, taken out of their message when somebody looks at them: few do."""

    def __init__(self, message: Any) -> None:
        self._message = message

    @cached_property
    def _counts(self) -> dict[int, int]:
        return {bucket.index: bucket.count for bucket in self._message}

    def __getitem__(self, index: int) -> int:
        return self._counts[index]

    def __iter__(self) -> Iterator[int]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __repr__(self) -> str:
        return repr(self._counts)


def snapshot_value(snapshot: counters_pb2.Snapshot, client: str) -> Snapshot:
    """Counters as they are. `client` is how the tester names who asks."""
    return Snapshot(
        taken_at_ns=snapshot.taken_at_ns,
        ports=tuple(counters_value(PortCounters, port) for port in snapshot.ports),
        streams=tuple(counters_value(StreamCounters, stream) for stream in snapshot.streams),
        workers=tuple(counters_value(WorkerCounters, worker) for worker in snapshot.workers),
        clock=counters_value(ClockCounters, snapshot.clock),
        ends=tuple(counters_value(EndCounters, responder) for responder in snapshot.responders),
        captures=tuple(counters_value(CaptureCounters, capture) for capture in snapshot.captures),
        jobs=tuple(_job(job, client) for job in snapshot.jobs),
        paths=tuple(counters_value(PathCounters, path) for path in snapshot.paths),
        stamps=tuple(counters_value(StampCounters, stamps) for stamps in snapshot.stamps),
        queries=tuple(counters_value(QueryCounters, query) for query in snapshot.queries),
    )


def _job(message: counters_pb2.JobCounters, client: str) -> JobCounters:
    def others(name: str) -> str:
        return "" if name.startswith(client) else name

    job = counters_value(JobCounters, message)
    return dataclasses.replace(
        job,
        started_by=others(job.started_by),
        stopped_by=others(job.stopped_by),
        updated_by=others(job.updated_by),
    )


def flows_value(flows: counters_pb2.FlowCounters) -> FlowCounters:
    """A chunk of the flows of a stream."""
    return counters_value(FlowCounters, flows)


def stamp_records_value(
    records: counters_pb2.StampRecords,
) -> tuple[tuple[StampFlowCounters, ...], tuple[StampIntervalCounters, ...]]:
    """A chunk of the flows and intervals of stamps."""
    return (
        tuple(counters_value(StampFlowCounters, flow) for flow in records.flows),
        tuple(counters_value(StampIntervalCounters, interval) for interval in records.intervals),
    )


def counters_value(cls: type[T], message: Message) -> T:
    """The message as the class of counters that has its name, and a field for each of its fields."""
    fields = _fields(cast(Hashable, cls), message.DESCRIPTOR)
    # Its constructor would set the fields of a frozen class one by one, which takes ten times as long.
    value = object.__new__(cls)
    made = value.__dict__
    made.update(zip(fields.plain, fields.take(message), strict=True))
    if fields.has_parts:
        made[_MESSAGE] = message
    return value


class _Part:
    """A field that is read from the message when somebody looks at it: few look at all of them.

    It stands in the class for the default of the field. An instance that was made by the constructor has a
    value of its own, which comes first.
    """

    def __init__(self, name: str, read: _Reader, default: Any) -> None:
        self._name, self._read, self._default = name, read, default

    def __get__(self, value: Any, _: type | None = None) -> Any:
        if value is None:
            return self._default
        made = value.__dict__
        part = made[self._name] = self._read(made[_MESSAGE])
        return part


@dataclasses.dataclass(frozen=True)
class _Fields:
    """The fields of a class of counters, by how they are read from its message."""

    plain: tuple[str, ...]  # numbers, truths and texts that are always there
    take: _Reader  # all plain ones at once
    has_parts: bool  # others, which are read when they are asked for


@lru_cache
def _fields(cls: Any, message: Descriptor) -> _Fields:
    hints = get_type_hints(cls)
    names = [field.name for field in dataclasses.fields(cls)]
    assert not hasattr(cls, "__post_init__"), f"{cls} is made without its constructor"
    scalar = [name for name in names if message.fields_by_name[name].type != FieldDescriptor.TYPE_MESSAGE]
    plain = tuple(name for name in scalar if hints[name] in (int, bool, str))
    # Of one name alone it would give no tuple.
    take = (
        attrgetter(*plain) if len(plain) > 1 else lambda found: tuple(getattr(found, name) for name in plain)
    )
    parts = [name for name in names if name not in plain]
    for name in parts:
        setattr(cls, name, _Part(name, _reader(name, hints[name]), getattr(cls, name, None)))
    return _Fields(plain, take, bool(parts))


def _reader(name: str, hint: Any) -> _Reader:
    """A function that reads one field of a message, by its type in the class."""
    arguments = get_args(hint)
    if type(None) not in arguments:
        value = _value(hint)
        return lambda message: value(getattr(message, name))
    (kind,) = (argument for argument in arguments if argument is not type(None))
    value = _value(kind)
    if get_origin(kind) is tuple:  # a repeated field has no presence: the engine counts all of them
        return lambda message: value(getattr(message, name))
    return lambda message: value(getattr(message, name)) if message.HasField(name) else None


def _value(hint: Any) -> _Reader:
    """A function that turns a value of the message into one of the class."""
    origin = get_origin(hint)
    if origin is tuple:
        item = _value(get_args(hint)[0])
        return lambda values: tuple(map(item, values))
    if origin is Mapping:
        return Buckets
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return lambda message: counters_value(hint, message)
    return _whole if hint is int else lambda value: value


def _whole(value: int | Uint128) -> int:
    return value if isinstance(value, int) else value.high << 64 | value.low
