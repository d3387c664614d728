# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A job in a switch as a whole: numbers of templates, multicast groups, and how full its tables become."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import PlanError
from ..model.jobfile import JobFile
from .multicast import MulticastGroup, MulticastGroups
from .prediction import Prediction, predict_switch
from .switch_editor import LIST_VALUES, UNITS
from .switch_replies import replies_only, reply_rows
from .switch_resources import COPIES, FLOWS, QUANTILES, QUEUES, REPLIES, REPLY_ROWS, ROWS, TEMPLATES, Excess
from .switch_streams import SwitchEnd

_UNITS = ("first", "second")


@dataclass(frozen=True)
class Copies:
    """Of a template, all of them or those that answer for an end, leave by the ports of a group."""

    template: int
    end: str | None
    group: int


@dataclass(frozen=True)
class SwitchPlan:
    """Streams have the templates of their numbers; those of answers come after them."""

    streams: tuple[Prediction, ...]
    ends: tuple[SwitchEnd, ...]
    templates: Mapping[str, int]  # by stream, or protocol and template: `http-get.content`
    groups: tuple[MulticastGroup, ...]
    copies: tuple[Copies, ...]
    capacity: tuple[Excess, ...]  # all that a job may use up

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "templates": dict(self.templates),
            "multicast_groups": [asdict(own) for own in self.groups],
            "copies": [asdict(own) for own in self.copies],
            "capacity": [
                {"resource": own.resource, "needed": own.needed, "available": own.available}
                for own in self.capacity
            ],
        }

    def summary(self) -> list[str]:
        """For people."""
        used = (f"{own.needed:,} of {own.available:,} {own.resource}" for own in self.capacity if own.needed)
        return [f"takes {', '.join(used)}", f"multicast groups: {len(self.groups)}"]


def switch_plan(file: JobFile) -> SwitchPlan:
    """All of a job.

    Raises:
        PlanError: each resource that runs out, by how much and what to change.
    """
    prediction = predict_switch(file)
    streams, ends = prediction.streams, prediction.ends
    templates = {name: number for number, name in enumerate(_names(streams, ends))}
    groups = MulticastGroups()
    copies = tuple(_copies(streams, ends, templates, groups))
    capacity = tuple(_capacity(streams, ends, len(templates), len(copies)))
    lacking = [str(own) for own in capacity if own.needed > own.available]
    if lacking:
        raise PlanError("\n".join(f"{file.source}: {own}" for own in lacking))
    return SwitchPlan(streams, ends, templates, groups.all(), copies, capacity)


def _names(streams: tuple[Prediction, ...], ends: tuple[SwitchEnd, ...]) -> Iterator[str]:
    """Of all templates, each once: ends with the same protocol share its templates."""
    yield from (own.stream.name for own in streams)
    yield from dict.fromkeys(_template(end, queue.name) for end in ends for queue in end.program.queues)


def _template(end: SwitchEnd, queue: str) -> str:
    return f"{end.program.protocol.name}.{queue}"


def _copies(
    streams: tuple[Prediction, ...],
    ends: tuple[SwitchEnd, ...],
    templates: Mapping[str, int],
    groups: MulticastGroups,
) -> Iterator[Copies]:
    for own in streams:
        yield Copies(templates[own.stream.name], None, groups.number([own.stream.tx]))
    for end in ends:
        group = groups.number([end.end.port])
        for queue in end.program.queues:
            yield Copies(templates[_template(end, queue.name)], end.end.name, group)


def _capacity(
    streams: tuple[Prediction, ...], ends: tuple[SwitchEnd, ...], templates: int, copies: int
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
    flows = sum(end.end.flow_capacity for end in ends)
    yield Excess("flows", flows, FLOWS, "of all responders", "give responders a smaller flows=")
    for unit, name in zip(range(UNITS), _UNITS, strict=True):
        lists = [own.edits[unit] for own in streams if len(own.edits) > unit]
        for what, random, most in (("lists", False, LIST_VALUES), ("distributions", True, QUANTILES)):
            needed = sum(len(editor.listed) for editor in lists if editor.random == random)
            resource = f"values in {what} of the {name} editor"
            yield Excess(resource, needed, most, "of all streams", f"use shorter {what}")


def _each(ends: Sequence[SwitchEnd]) -> str:
    return ", ".join(f"{end.end.name} {len(end.program.entries)}" for end in ends)
