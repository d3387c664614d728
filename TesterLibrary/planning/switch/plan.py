# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The plan of a whole job in a switch: numbers of templates, multicast groups, and the use of its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...errors import PlanError
from ...model.job import JobFile
from .chip import TOFINO, Chip
from .editor import LIST_VALUES
from .expectation import most_flows
from .gaps import gap_laws
from .multicast import MulticastGroup, MulticastGroups
from .parts import named
from .prediction import SwitchPrediction, predict_switch
from .replies import replies_only, reply_rows
from .resources import (
    COPIES,
    EXPECTING_FLOWS,
    FLOWS,
    QUANTILES,
    QUEUES,
    REPLIES,
    REPLY_ROWS,
    ROWS,
    TEMPLATES,
    Excess,
)
from .streams import SwitchEnd, flow_cells

_UNITS = ("first", "second", "third")  # editors of a template, of which a chip has the first ones


@dataclass(frozen=True)
class Copies:
    """The group of ports by which copies of a template leave: all copies, or those that answer for an end."""

    template: int
    end: str | None
    group: int


@dataclass(frozen=True)
class SwitchPlan:
    """A job in a switch. Streams have the first templates, in their order; answers have those after them."""

    streams: tuple[SwitchPrediction, ...]
    ends: tuple[SwitchEnd, ...]
    templates: Mapping[str, int]  # by stream, or protocol and template: `http-get.content`
    groups: tuple[MulticastGroup, ...]
    copies: tuple[Copies, ...]
    capacity: tuple[Excess, ...]  # all resources that a job may use up

    def record(self) -> dict[str, Any]:
        """The plan as it is written to JSON."""
        return {
            "templates": dict(self.templates),
            "multicast_groups": [asdict(group) for group in self.groups],
            "copies": [asdict(copy) for copy in self.copies],
            "capacity": [
                {"resource": excess.resource, "needed": excess.needed, "available": excess.available}
                for excess in self.capacity
            ],
        }

    def summary(self) -> list[str]:
        """A summary for people."""
        used = (
            f"{excess.needed:,} of {excess.available:,} {excess.resource}"
            for excess in self.capacity
            if excess.needed
        )
        return [f"takes {', '.join(used)}", f"multicast groups: {len(self.groups)}"]


def switch_plan(file: JobFile, chip: Chip = TOFINO) -> SwitchPlan:
    """The plan of a whole job on a switch with this chip.

    Raises:
        PlanError: each resource that runs out, by how much and what to change.
    """
    prediction = predict_switch(file, chip)
    streams, ends = prediction.streams, prediction.ends
    templates = {name: number for number, name in enumerate(_names(streams, ends))}
    groups = MulticastGroups()
    copies = tuple(_copies(streams, ends, templates, groups))
    capacity = (
        *_capacity(streams, ends, len(templates), len(copies)),
        *_lists(streams, _UNITS[: chip.edited_fields]),
    )
    lacking = [str(excess) for excess in capacity if excess.needed > excess.available]
    if lacking:
        raise PlanError("\n".join(f"{file.source}: {problem}" for problem in lacking))
    return SwitchPlan(streams, ends, templates, groups.all(), copies, capacity)


def _names(streams: tuple[SwitchPrediction, ...], ends: tuple[SwitchEnd, ...]) -> Iterator[str]:
    """The names of all templates, each once: ends with the same protocol share those of answers."""
    yield from (named(stream.planned) for stream in streams)
    yield from dict.fromkeys(_template(end, queue.name) for end in ends for queue in end.program.queues)
    yield from (f"{end.end.name}.{event}" for end in ends for event in end.events)


def _template(end: SwitchEnd, queue: str) -> str:
    return f"{end.program.protocol.name}.{queue}"


def _copies(
    streams: tuple[SwitchPrediction, ...],
    ends: tuple[SwitchEnd, ...],
    templates: Mapping[str, int],
    groups: MulticastGroups,
) -> Iterator[Copies]:
    for stream in streams:
        yield Copies(templates[named(stream.planned)], None, groups.number([stream.stream.tx]))
    for end in ends:
        group = groups.number([end.end.port])
        for queue in end.program.queues:
            yield Copies(templates[_template(end, queue.name)], end.end.name, group)


def _capacity(
    streams: tuple[SwitchPrediction, ...], ends: tuple[SwitchEnd, ...], templates: int, copies: int
) -> Iterator[Excess]:
    fewer = "use fewer streams, or protocols of fewer kinds of packets"
    yield Excess("templates", templates, TEMPLATES, "of streams and of answers", fewer)
    yield Excess("copies to ports", copies, COPIES, "of each template of each end", fewer)
    programs = {end.program.protocol.name: end.program for end in ends}
    queues = sum(len(program.queues) for program in programs.values())
    yield Excess("queues of templates", queues, QUEUES, ", ".join(programs), "use fewer protocols")
    bypassing = [end for end in ends if replies_only(end.program.protocol)]
    keeping = [end for end in ends if end not in bypassing]
    rows = sum(len(end.program.entries) for end in keeping)
    narrow = "write fewer rows, and ranges that begin and end at powers of two"
    yield Excess("rows of protocols", rows, ROWS, _each(keeping), narrow)
    replying = sum(len(end.program.entries) for end in bypassing)
    yield Excess("rows of protocols that only reply", replying, REPLY_ROWS, _each(bypassing), narrow)
    numbers = sum(len(reply_rows(end.program).replies) for end in bypassing)
    yield Excess("replies", numbers, REPLIES, "of all responders", "use fewer of them")
    yield flow_cells([stream.planned for stream in streams])
    yield gap_laws([stream.planned for stream in streams])
    flows = sum(end.end.flow_capacity for end in ends)
    yield Excess("flows", flows, FLOWS, "of all responders", "give responders a smaller flows=")
    keeping_more = [end.end for end in ends if most_flows(end.end.protocol) < FLOWS]
    kept = sum(end.flow_capacity for end in keeping_more)
    why = f"of {', '.join(sorted({end.protocol.name for end in keeping_more}))}"
    yield Excess("flows with more than a state", kept, EXPECTING_FLOWS, why, "open fewer connections")


def _lists(streams: tuple[SwitchPrediction, ...], units: Sequence[str]) -> Iterator[Excess]:
    for unit, name in enumerate(units):
        lists = [stream.placed.edits[unit] for stream in streams if len(stream.placed.edits) > unit]
        for what, random, most in (("lists", False, LIST_VALUES), ("distributions", True, QUANTILES)):
            needed = sum(len(editor.listed) for editor in lists if editor.random == random)
            resource = f"values in {what} of the {name} editor"
            yield Excess(resource, needed, most, "of all streams", f"use shorter {what}")


def _each(ends: Sequence[SwitchEnd]) -> str:
    return ", ".join(f"{end.end.name} {len(end.program.entries)}" for end in ends)
