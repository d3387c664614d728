# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths as messages of `inline.proto`."""

from __future__ import annotations

from functools import singledispatch

from ..._generated.tester.v1 import inline_pb2, match_pb2
from ...model.heading import OrderPolicy, StationAddress
from ...model.inline import (
    Blackhole,
    ChecksumPolicy,
    Corrupt,
    Delay,
    Drop,
    Duplicate,
    LinkDown,
    Mark,
    Reorder,
    Reset,
    Swallowed,
    Truncate,
)
from ...model.plan.match import Match
from ...model.plan.planned_path import (
    PlannedAction,
    PlannedEvent,
    PlannedImpairment,
    PlannedPath,
    PlannedRatio,
    PlannedRewrite,
)
from ...model.plan.planned_stamps import PlannedStamps
from ...model.units.units import FCS_LENGTH


def path_message(path: PlannedPath) -> inline_pb2.Path:
    """A path as the engine loads it."""
    return inline_pb2.Path(
        name=path.name,
        first_port=path.first_port,
        second_port=path.second_port,
        watches=[inline_pb2.Watch(matches=map(_match, matches)) for matches in path.watches],
        events=map(_event, path.events),
        impairments=map(_impairment, path.impairments),
        hold_bytes=path.hold_bytes,
        beside=path.beside,
        known_by_ip=path.known_by is StationAddress.IP,
    )


def stamps_message(stamps: PlannedStamps) -> inline_pb2.Stamps:
    """Stamps as the engine loads them."""
    before, behind = (inline_pb2.PathName(job=path.job, path=path.path) for path in stamps.paths)
    message = inline_pb2.Stamps(
        name=stamps.name,
        before=before,
        behind=behind,
        heading=stamps.heading.value,
        matches=map(_match, stamps.matches),
        data_only=stamps.data_only,
        tunnel=stamps.tunnel.value,
        timeout_ns=stamps.timeout_ns,
        flows=stamps.flows,
        interval_ns=stamps.interval_ns,
        intervals=stamps.intervals,
    )
    if stamps.kept:
        message.by_kept.fields, message.by_kept.under_way = stamps.kept, stamps.under_way
    else:
        message.in_packet.remove, message.in_packet.mtu = stamps.remove, stamps.mtu
    return message


def _match(match: Match) -> match_pb2.Match:
    return match_pb2.Match(offset=match.offset, mask=match.mask, value=match.value)


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
    elif event.carried:
        carried = event.carried
        message.carried.CopyFrom(inline_pb2.Carried(sequence=carried.sequence, from_start=carried.from_start))
    elif event.pattern:
        message.pattern = event.pattern
    else:
        message.number = event.number
    _act(event.action, message)
    return message


def _impairment(impairment: PlannedImpairment) -> inline_pb2.Impairment:
    message = inline_pb2.Impairment(heading=impairment.heading.value)
    loss, shaping, delay = impairment.loss, impairment.shaping, impairment.delay
    if isinstance(loss, PlannedRatio):
        message.random_loss.seed, message.random_loss.threshold = loss.seed, loss.threshold
    elif loss is not None:
        message.gilbert_elliott.CopyFrom(
            inline_pb2.GilbertElliott(
                seed=loss.seed,
                to_bad=loss.to_bad,
                to_good=loss.to_good,
                loss_in_good=loss.loss_in_good,
                loss_in_bad=loss.loss_in_bad,
            )
        )
    if shaping is not None:
        message.shaper.bits_per_second = shaping.bps
        message.shaper.overhead_bytes = shaping.overhead_bytes
        if shaping.queue_frames is not None:
            message.shaper.frames = shaping.queue_frames
        elif shaping.queue_bytes is not None:
            message.shaper.bytes = shaping.queue_bytes
    if delay is not None:
        message.delay.CopyFrom(
            inline_pb2.DelayLaw(
                seed=delay.seed,
                quantiles_ns=delay.quantiles_ns,
                overtaken=delay.order is OrderPolicy.ALLOW,
                correlation=delay.correlation,
            )
        )
    return message


@singledispatch
def _act(action: PlannedAction, message: inline_pb2.Event) -> None:  # noqa: ARG001
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


@_act.register
def _delay(action: Delay, message: inline_pb2.Event) -> None:
    overtaken = action.order is OrderPolicy.ALLOW
    message.delay.CopyFrom(inline_pb2.Delay(delay_ns=action.delay.ns, overtaken=overtaken))


@_act.register
def _reorder(action: Reorder, message: inline_pb2.Event) -> None:
    message.reorder.CopyFrom(inline_pb2.Reorder(frames=action.packets, limit_ns=action.limit.ns))


@_act.register
def _rewrite(action: PlannedRewrite, message: inline_pb2.Event) -> None:
    message.rewrite.CopyFrom(
        inline_pb2.RewriteBits(
            part=action.part.value,
            offset=action.offset,
            mask=action.mask,
            value=action.value,
            ip_version=action.ip_version,
            protocol=action.protocol,
            repair=action.repair,
        )
    )


@_act.register
def _blackhole(action: Blackhole, message: inline_pb2.Event) -> None:
    flow_only = action.packets is Swallowed.FLOW
    message.blackhole.CopyFrom(
        inline_pb2.Blackhole(duration_ns=action.duration.ns, flow_only=flow_only, both_ways=action.both_ways)
    )


@_act.register
def _link_down(action: LinkDown, message: inline_pb2.Event) -> None:
    message.link_down.CopyFrom(inline_pb2.LinkDown(duration_ns=action.duration.ns, ports=action.ports))


@_act.register
def _reset(action: Reset, message: inline_pb2.Event) -> None:  # noqa: ARG001
    message.reset.SetInParent()
