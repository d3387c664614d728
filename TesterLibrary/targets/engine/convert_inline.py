# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths as messages of `inline.proto`."""

from __future__ import annotations

from functools import singledispatch

from ..._generated.tester.v1 import inline_pb2, match_pb2
from ...model.inline import ChecksumPolicy, Corrupt, Drop, Duplicate, Mark, PacketAction, Truncate
from ...model.planned_path import PlannedEvent, PlannedPath
from ...model.units import FCS_LENGTH


def path_message(path: PlannedPath) -> inline_pb2.Path:
    """A path as the engine loads it."""
    return inline_pb2.Path(
        name=path.name,
        first_port=path.first_port,
        second_port=path.second_port,
        watches=[
            inline_pb2.Watch(
                matches=[match_pb2.Match(offset=m.offset, mask=m.mask, value=m.value) for m in matches]
            )
            for matches in path.watches
        ],
        events=map(_event, path.events),
    )


def _event(event: PlannedEvent) -> inline_pb2.Event:
    message = inline_pb2.Event(
        name=event.name,
        watch=event.watch,
        heading=event.heading.value,
        flow=event.flow,
        data_only=event.data_only,
        iteration=event.iteration,
    )
    if event.ratio:
        message.ratio.seed, message.ratio.threshold = event.ratio.seed, event.ratio.threshold
    elif event.every:
        message.every = event.every
    else:
        message.number = event.number
    _act(event.action, message)
    return message


@singledispatch
def _act(action: PacketAction, message: inline_pb2.Event) -> None:  # noqa: ARG001
    """Gives an event its action."""
    raise TypeError(f"{action} is no action of inline.proto")


@_act.register
def _drop(action: Drop, message: inline_pb2.Event) -> None:  # noqa: ARG001
    message.drop.SetInParent()


@_act.register
def _mark(action: Mark, message: inline_pb2.Event) -> None:  # noqa: ARG001
    message.mark_ce.SetInParent()


@_act.register
def _corrupt(action: Corrupt, message: inline_pb2.Event) -> None:
    repair = action.checksum is ChecksumPolicy.REPAIR
    message.corrupt.CopyFrom(inline_pb2.Corrupt(part=action.part.value, bit=action.bit, repair=repair))


@_act.register
def _duplicate(action: Duplicate, message: inline_pb2.Event) -> None:  # noqa: ARG001
    message.duplicate.SetInParent()


@_act.register
def _truncate(action: Truncate, message: inline_pb2.Event) -> None:
    message.truncate.bytes = action.frame_size - FCS_LENGTH
