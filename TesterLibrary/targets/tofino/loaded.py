# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the parts of a loaded job are in a switch: by which numbers its registers and counters are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...model.plan import PlannedStream
from ...model.planned_end import PlannedEnd
from ...planning.staging import Staging
from ...planning.switch_editor import SwitchEditor
from .classifier import FlowRange
from .entry import Entry


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

    def slot(self, version: int) -> int:
        """Of a version, in sums of times (p4/controls/counters.p4, Slot)."""
        return self.template << 1 | version

    def counter(self, version: int, *, overtaken: bool = False) -> int:
        """Of frames of a version that came in order, or of those that were overtaken (the same, Counters)."""
        return overtaken << 9 | self.slot(version)

    def cell(self, bucket: int) -> int:
        """Of a bucket, in the histogram (p4/controls/latency.p4)."""
        return self.template << 8 | bucket


@dataclass(frozen=True)
class CountedRow:
    """An entry whose packets are counted, and which counters of its protocol each of them adds to."""

    entry: Entry
    counts: tuple[str, ...]
    answers: bool


@dataclass(frozen=True)
class LoadedEnd:
    """A responder of a job."""

    planned: PlannedEnd
    port: int  # device port
    rows: tuple[CountedRow, ...]
    flows: FlowRange | None = None  # None: it keeps nothing
    link: int | None = None
    queues: Mapping[str, int] | None = None  # by template: where answers that found no room are counted

    @property
    def keeps(self) -> bool:
        """Whether it has states of flows."""
        return self.flows is not None and len(self.planned.protocol.states) > 1
