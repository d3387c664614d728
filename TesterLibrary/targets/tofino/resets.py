# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Registers and counters of a job as they are before its first packet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from .entry import Entry
from .job import SwitchJob
from .latency import OTHERS, scale
from .loaded import LoadedEnd, LoadedStream

_IN, _OUT, _INSIDE = "ExternalIngress", "ExternalEgress", "InternalIngress"
_BOTH = {"$COUNTER_SPEC_PKTS": 0, "$COUNTER_SPEC_BYTES": 0}
_PACKETS = {"$COUNTER_SPEC_PKTS": 0}
_LONGEST = (1 << 32) - 1
HISTOGRAM = f"external.{_IN}.latency.histogram"
STATES = f"internal.{_INSIDE}.responder.states"


@dataclass(frozen=True)
class Resets:
    """Tables to be cleared as a whole, which is faster than entry by entry, and entries to be written."""

    tables: tuple[str, ...]
    entries: tuple[Entry, ...]

    @classmethod
    def of(cls, jobs: Collection[SwitchJob], others: Collection[SwitchJob] = ()) -> Resets:
        """What makes counters, sums, states and queues of jobs as new; others go on."""
        streams, tables = _streams(jobs), []
        entries = [entry for own in streams for entry in _stream(own)]
        entries += [entry for job in jobs for own in job.ends for entry in _end(own)]
        signed, keeping = [own for own in streams if own.planned.signature], _keeping(jobs)
        if signed and not _streams(others):
            tables.append(HISTOGRAM)
        else:
            entries += [entry for own in signed for entry in _histogram(own)]
        if keeping and not _keeping(others):
            tables.append(STATES)
        else:
            entries += [entry for own in keeping for entry in _states(own)]
        return cls(tuple(tables), tuple(entries))


def _streams(jobs: Iterable[SwitchJob]) -> list[LoadedStream]:
    return [own for job in jobs for own in job.streams.values()]


def _keeping(jobs: Iterable[SwitchJob]) -> list[LoadedEnd]:
    return [own for job in jobs for own in job.ends if own.keeps]


def _stream(own: LoadedStream) -> Iterator[Entry]:
    yield register(_OUT, "signature.sequence", own.template, {"f1": 0})
    yield register(_IN, "order.next", own.template, {"f1": 0})
    yield register(_IN, "latency.extremes", own.template, {"least": _LONGEST, "greatest": 0})
    yield register(_IN, "latency.sum", own.template, {"low": 0, "high": 0})
    yield counter(_IN, "misrouted.streams", own.template, _PACKETS)
    for version in (0, 1):
        yield from interval_resets(own, version)
        yield counter(_OUT, "counters.streams", own.counter(version), _BOTH)
        for overtaken in (False, True):
            yield counter(_IN, "counters.streams", own.counter(version, overtaken=overtaken), _BOTH)


def interval_resets(own: LoadedStream, version: int) -> Iterator[Entry]:
    """Sums of times of a version, before frames leave in it again."""
    for gress in (_OUT, _IN):
        yield register(gress, "blind_delay.base", own.slot(version), {"f1": 0})
        yield register(gress, "blind_delay.sum", own.slot(version), {"low": 0, "high": 0})


def _end(own: LoadedEnd) -> Iterator[Entry]:
    for row in own.rows:
        yield Entry(row.entry.table, row.entry.key, row.entry.action, {**row.entry.data, **_PACKETS})
    for queue in (own.queues or {}).values():
        yield counter(_INSIDE, "queues.full", queue, _PACKETS)
        for name in ("lengths", "tails", "heads"):
            yield register(_INSIDE, f"queues.{name}", queue, {"f1": 0})


def _histogram(own: LoadedStream) -> Iterator[Entry]:
    for number in (*(bucket.number for bucket in scale()), OTHERS):
        yield counter(_IN, "latency.histogram", own.cell(number), _PACKETS)


def _states(own: LoadedEnd) -> Iterator[Entry]:
    assert own.flows is not None
    for flow in range(own.flows.first, own.flows.first + (1 << own.flows.bits)):
        yield register(_INSIDE, "responder.states", flow, {"f1": 0})


def register(gress: str, name: str, index: int, fields: dict[str, int]) -> Entry:
    """Of a control's register, by the fields of its value."""
    pipeline = "internal" if gress == _INSIDE else "external"
    data = {f"{gress}.{name}.{field}": value for field, value in fields.items()}
    return Entry(f"{pipeline}.{gress}.{name}", {"$REGISTER_INDEX": index}, data=data)


def counter(gress: str, name: str, index: int, fields: dict[str, int]) -> Entry:
    """Of a control's counter."""
    pipeline = "internal" if gress == _INSIDE else "external"
    return Entry(f"{pipeline}.{gress}.{name}", {"$COUNTER_INDEX": index}, data=fields)
