# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of the flows of a stream (p4/controls/flows.p4): frame k is of flow k modulo their number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ....errors import PlanError
from ....measurement.snapshot import FlowCounters
from ....planning.switch.resources import FLOW_CELLS
from ..reading.stream_readings import octets_of, packets_of
from ..session.switch import Asked, Reading
from .entry import TableEntry

CELLS = "external.ExternalIngress.flow_cells.cells"
_NUMBERS, _CELLS = "InternalIngress.flow_numbers", "ExternalIngress.flow_cells"


def free_cells(name: str, flows: int, taken: Iterable[range]) -> range:
    """The first cells side by side for the flows of a stream. PlanError if there are too few."""
    first, occupied = 0, sorted(taken, key=lambda cells: cells.start)
    for cells in occupied:
        if first + flows <= cells.start:
            break
        first = max(first, cells.stop)
    if first + flows > FLOW_CELLS:
        free = FLOW_CELLS - sum(map(len, occupied))
        raise PlanError(
            f"stream {name!r}: counters of flows: {flows:,} needed side by side, {FLOW_CELLS - first:,} "
            f"there, {first + flows - FLOW_CELLS:,} too many ({free:,} of {FLOW_CELLS:,} are free); unload a "
            "job that counts flows, or let fields take fewer values"
        )
    return range(first, first + flows)


def flow_entries(template: int, cells: range) -> Iterator[TableEntry]:
    """The entries that number the frames of a stream by flow, and find the cell of each."""
    yield TableEntry(
        f"internal.{_NUMBERS}.streams",
        {"template": template},
        f"{_NUMBERS}.flows",
        {"own_last": len(cells) - 1},
    )
    yield TableEntry(
        f"external.{_CELLS}.streams", {"stream": template}, f"{_CELLS}.from", {"first": cells.start}
    )


def first_flow(template: int) -> TableEntry:
    """The entry by which the next frame of a stream is of flow 0."""
    name = f"{_NUMBERS}.next"
    return TableEntry(f"internal.{name}", {"$REGISTER_INDEX": template}, data={f"{name}.f1": 0})


def cells_asked(cells: range) -> list[Asked]:
    """The entries to read for these cells, in the order that `flow_counters` expects."""
    return [Asked(CELLS, {"$COUNTER_INDEX": cell}) for cell in cells]


def flow_counters(first: int, flows: int, sent: int, readings: Sequence[Reading]) -> FlowCounters:
    """The counters of the flows from `first` on. Latency is counted by stream only.

    Args:
        first: The number of the first of these flows.
        flows: All flows of the stream.
        sent: Frames of the stream that have left; each flow has had its turn.
        readings: Those of `cells_asked`.
    """
    rounds, rest = divmod(sent, flows)
    return FlowCounters(
        first=first,
        tx_packets=tuple(rounds + (flow < rest) for flow in range(first, first + len(readings))),
        rx_packets=tuple(packets_of([reading]) for reading in readings),
        rx_bytes=tuple(octets_of([reading]) for reading in readings),
    )
