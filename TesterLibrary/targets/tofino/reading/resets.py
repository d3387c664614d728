# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The entries that set registers and counters of a job as they were before its first packet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from ..driver.job import SwitchJob
from ..driver.loaded import LoadedEnd, LoadedStream
from ..entries.entry import TableEntry
from ..entries.flows import CELLS, first_flow
from ..entries.latency import between
from ..session.switch import Asked, Reading
from .arrival import Arrival
from .stream_readings import greatest_of, least_of

_IN, _OUT, _INSIDE = "ExternalIngress", "ExternalEgress", "InternalIngress"
_BOTH = {"$COUNTER_SPEC_PKTS": 0, "$COUNTER_SPEC_BYTES": 0}
_PACKETS = {"$COUNTER_SPEC_PKTS": 0}
_LONGEST = (1 << 32) - 1
_WRITTEN = 4096  # entries; to clear a table of 65,536 takes the time in which so many are written
HISTOGRAM = f"external.{_IN}.latency.histogram"
ARRIVALS = f"external.{_IN}.order.cells"
_EXTREMES = f"external.{_IN}.latency.extremes"
STATES = f"internal.{_INSIDE}.responder.states"
_REGISTERS = (ARRIVALS, STATES)  # the other large tables are counters


@dataclass(frozen=True)
class Extremes:
    """The least and the greatest latency of a stream since its last reset, in ns; left out: not known."""

    least: int = 0
    greatest: int = _LONGEST

    @staticmethod
    def asked(stream: LoadedStream) -> Asked:
        """The entry to read for them."""
        return Asked(_EXTREMES, {"$REGISTER_INDEX": stream.template})

    @classmethod
    def of(cls, reading: Reading) -> Extremes:
        """Those that were read."""
        return cls(least_of(reading, "least"), greatest_of(reading, "greatest"))

    @property
    def came(self) -> bool:
        """Whether a frame has come since then, so far as is known."""
        return self.least <= self.greatest


@dataclass(frozen=True)
class Resets:
    """Entries to write, then tables to clear, then cells of such tables to write.

    A frame that comes between them counts in a cell only if the extremes, which are among the first, have it;
    so cells outside of them are always 0, and need no reset.
    """

    entries: tuple[TableEntry, ...]
    tables: tuple[str, ...]
    cells: tuple[TableEntry, ...]

    @classmethod
    def of(
        cls,
        jobs: Collection[SwitchJob],
        others: Collection[SwitchJob] = (),
        known: Mapping[int, Extremes] | None = None,
    ) -> Resets:
        """The resets of counters, sums, states and queues of jobs; those of `others` go on.

        Args:
            jobs: Jobs that start.
            others: Jobs that are loaded beside them.
            known: Extremes of signed streams, by template.
        """
        streams = _streams(jobs)
        entries = [entry for stream in streams for entry in _stream(stream)]
        entries += [entry for job in jobs for end in job.ends for entry in _end(end)]
        ranges = known or {}
        came = [
            (stream, ranges.get(stream.template, Extremes()))
            for stream in streams
            if stream.planned.signature
        ]
        alone = not _streams(others)
        reset = (
            _Cells(HISTOGRAM, alone, [_buckets(*one) for one in came]),
            _Cells(ARRIVALS, alone, [stream.arrivals for stream, extremes in came if extremes.came]),
            _Cells(
                CELLS,
                not any(stream.cells for stream in _streams(others)),
                [stream.cells for stream in streams if stream.cells],
            ),
            _Cells(STATES, not _keeping(others), [_flows(end) for end in _keeping(jobs)]),
        )
        return cls(
            # The daemon writes registers four times as fast if those of a table come together.
            tuple(sorted(entries, key=lambda entry: entry.table)),
            tuple(cells.table for cells in reset if cells.cleared),
            tuple(entry for cells in reset if not cells.cleared for entry in cells.entries()),
        )


@dataclass(frozen=True)
class _Cells:
    """Cells of a large table that are to be 0."""

    table: str
    unused: bool  # by other jobs
    spans: Sequence[Sequence[int]]

    @property
    def cleared(self) -> bool:
        """Whether the table is cleared as a whole, in place of all that."""
        return self.unused and sum(map(len, self.spans)) > _WRITTEN

    def entries(self) -> Iterator[TableEntry]:
        """Each cell."""
        gress, _, name = self.table.partition(".")[2].partition(".")
        for cell in chain.from_iterable(self.spans):
            if self.table in _REGISTERS:
                yield register(gress, name, cell, {"f1": 0})
            else:
                yield counter(gress, name, cell, _BOTH if self.table == CELLS else _PACKETS)


def _streams(jobs: Iterable[SwitchJob]) -> list[LoadedStream]:
    return [stream for job in jobs for stream in job.streams.values()]


def _keeping(jobs: Iterable[SwitchJob]) -> list[LoadedEnd]:
    return [end for job in jobs for end in job.ends if end.keeps]


def _stream(stream: LoadedStream) -> Iterator[TableEntry]:
    yield register(_OUT, "signature.sequence", stream.template, {"f1": 0})
    yield first_flow(stream.template)
    yield register(_IN, "order.next", stream.template, {"f1": 0})
    yield register(_IN, "outages.arrivals", stream.template, {"first": 0, "last": 0})
    yield register(_IN, "outages.longest", stream.template, {"length": 0, "since": 0})
    yield register(_IN, "outages.most", stream.template, {"length": 0, "frames": 0})
    yield register(_IN, "outages.before", stream.template, {"f1": 0})
    yield register(_IN, "latency.extremes", stream.template, {"least": _LONGEST, "greatest": 0})
    yield register(_IN, "latency.sum.total", stream.template, {"low": 0, "high": 0})
    yield counter(_IN, "misrouted.streams", stream.template, _PACKETS)
    for version in (0, 1):
        yield from interval_resets(stream, version)
        yield counter(_OUT, "stream_counters.totals", stream.counter(version), _BOTH)
        for arrival in Arrival:
            yield counter(_IN, "stream_counters.totals", stream.counter(version, arrival), _BOTH)


def interval_resets(stream: LoadedStream, version: int) -> Iterator[TableEntry]:
    """The entries that reset a version's sums of times before frames leave in it again."""
    for gress in (_OUT, _IN):
        yield register(gress, "blind_delay.base", stream.slot(version), {"f1": 0})
        yield register(gress, "blind_delay.sum.total", stream.slot(version), {"low": 0, "high": 0})


def _end(end: LoadedEnd) -> Iterator[TableEntry]:
    for row in end.rows:
        yield TableEntry(row.entry.table, row.entry.key, row.entry.action, {**row.entry.data, **_PACKETS})
    if end.trigger is not None:
        yield register(_IN, "reply_rows.left", end.trigger, {"f1": end.planned.most})
    for queue in (end.queues or {}).values():
        yield counter(_INSIDE, "queues.full", queue, _PACKETS)
        for name in ("lengths", "tails", "heads"):
            yield register(_INSIDE, f"queues.{name}", queue, {"f1": 0})


def _buckets(stream: LoadedStream, extremes: Extremes) -> Sequence[int]:
    return [stream.cell(number) for number in between(extremes.least, extremes.greatest)]


def _flows(end: LoadedEnd) -> Sequence[int]:
    if end.flows is None:
        return range(0)
    return range(end.flows.first, end.flows.first + (1 << end.flows.bits))


def register(gress: str, name: str, index: int, fields: dict[str, int]) -> TableEntry:
    """The entry of a control's register, by the fields of its value."""
    pipeline = "internal" if gress == _INSIDE else "external"
    data = {f"{gress}.{name}.{field}": value for field, value in fields.items()}
    return TableEntry(f"{pipeline}.{gress}.{name}", {"$REGISTER_INDEX": index}, data=data)


def counter(gress: str, name: str, index: int, fields: dict[str, int]) -> TableEntry:
    """The entry of a control's counter."""
    pipeline = "internal" if gress == _INSIDE else "external"
    return TableEntry(f"{pipeline}.{gress}.{name}", {"$COUNTER_INDEX": index}, data=fields)
