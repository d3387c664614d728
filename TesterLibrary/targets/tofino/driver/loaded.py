# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The streams and ends of a loaded job, with the numbers of their registers and counters in a switch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ....model.plan.plan import PlannedStream
from ....model.plan.planned_end import PlannedEnd
from ....planning.switch.editor import SwitchEditor
from ....planning.switch.parts import whole
from ....planning.switch.staging import Staging
from ....planning.switch.start_delay import AT_ONCE, Begin
from ....planning.switch.starts import Starts
from ....planning.switch.steps import is_level
from ..entries.classifier import FlowRange
from ..entries.entry import TableEntry
from ..reading.arrival import Arrival

PACKET = "packet"  # the event of a row


@dataclass(frozen=True)
class LoadedStream:
    """A stream of a job, and its template."""

    planned: PlannedStream
    template: int
    tx: int  # device ports
    rx: int
    staging: Staging
    edits: tuple[SwitchEditor, ...]
    metered: bool = True  # see SwitchStream
    cells: range | None = None  # of the counters of its flows; None: they are not counted
    begin: Begin = AT_ONCE

    @property
    def delay(self) -> int:
        """Frames that its last unit skips first."""
        return self.begin.delay

    @property
    def delay_ns(self) -> int:
        """When its first frame departs after the start."""
        return round(self.staging.leaves_ns(self.delay))

    def slot(self, version: int) -> int:
        """The index of a version in sums of times (p4/controls/counters.p4, Slot)."""
        return self.template << 1 | version

    def counter(self, version: int, arrival: Arrival = Arrival.ABOVE) -> int:
        """The index of a version's counter of frames that arrive so (StreamCounters there)."""
        return arrival << 9 | self.slot(version)

    @property
    def arrivals(self) -> range:
        """The indices of the cells of its sequence numbers (p4/controls/order.p4)."""
        return range(self.template << 8, self.template + 1 << 8)

    def cell(self, bucket: int) -> int:
        """The index of a bucket in the histogram (p4/controls/latency.p4)."""
        return self.template << 8 | bucket


@dataclass(frozen=True)
class CountedRow:
    """An entry whose packets are counted, and the counters of its protocol that each packet adds 1 to."""

    entry: TableEntry
    counts: tuple[str, ...]
    answers: bool
    event: str = PACKET  # or start: its packets are starts of flows; or a timer: they are looks at them
    begins: bool = False  # flows
    ends: bool = False
    fails: bool = False  # it ends them, and not well
    measures: tuple[str, ...] = ()  # counters that it adds the bytes of payloads to
    octets: int | None = None  # of each payload; None: by the bytes of its packets


@dataclass(frozen=True)
class LoadedStarts:
    """The starts of clients, or the looks at their flows, and their template."""

    planned: Starts
    template: int
    staging: Staging
    metered: bool = True  # see SwitchStream

    @property
    def edits(self) -> tuple[SwitchEditor, ...]:
        """The fields that change from start to start."""
        return self.planned.edits


@dataclass(frozen=True)
class LoadedEnd:
    """A responder, clients, or a trigger, of a job."""

    planned: PlannedEnd
    port: int  # device port
    rows: tuple[CountedRow, ...]
    flows: FlowRange | None = None  # None: it has no state
    link: int | None = None
    queues: Mapping[str, int] | None = None  # by template: the queues, which count answers that found no room
    starts: LoadedStarts | None = None  # of clients
    looks: LoadedStarts | None = None  # at their flows, if their table has a timer
    trigger: int | None = None  # its number

    @property
    def keeps(self) -> bool:
        """Whether it has states of flows."""
        return self.flows is not None and len(self.planned.protocol.states) > 1


def stepping(streams: Iterable[LoadedStream]) -> set[int]:
    """The ids of streams that are sent as a step of the rate."""
    return {whole(stream.planned.id) for stream in streams if is_level(stream.planned)}
