# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks a protocol and reports every mistake at once, each with its line and what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from ..errors import PlanError
from ..files import paths
from ..model.protocol import ASIDE_BITS, STATE_BITS, Protocol
from . import machine_check, name_check
from .actions.following import NextEvent, Say
from .actions.payload import Scan
from .actions.sending import Send, Transmit
from .actions.timers import StartTimer
from .findings import Finding
from .loader import load_unchecked

_MOST_FINDINGS = 40


def load_protocol(name_or_path: str, ip_version: int = 4) -> Protocol:
    """A shipped protocol, such as `tcp`, or a file. PlanError says all that is wrong with it.

    A shipped one is read and checked once in a process. With IP version 6 a table that is written over `IP`
    is one over IPv6, if IPv6 has all that it names.
    """
    load = _checked if paths.is_path(name_or_path) else _shipped
    return load(name_or_path, ip_version)


def _checked(name_or_path: str, ip_version: int) -> Protocol:
    protocol = load_unchecked(name_or_path, ip_version=ip_version)
    found = check(protocol)
    if found:
        rest = [f"and {len(found) - _MOST_FINDINGS} more"] if len(found) > _MOST_FINDINGS else []
        raise PlanError("\n".join([*map(str, found[:_MOST_FINDINGS]), *rest]))
    return protocol


_shipped = cache(_checked)


def check(protocol: Protocol) -> list[Finding]:
    """All mistakes in a protocol and in those below it; none if it can be run."""
    found: set[Finding] = set()
    sound = True
    for layer in protocol.layers:
        names = {Finding(layer.path, line, text) for line, text in name_check.problems(layer)}
        sound = sound and not names
        found |= names
        if sound:  # checks of the machine need names that are all known
            found |= {Finding(layer.path, line, text) for line, text in machine_check.problems(layer)}
            found |= {Finding(layer.path, line, text) for line, text in _unused(layer)}
    if sound:
        found |= {Finding(protocol.path, _first_line(protocol), text) for text in _too_big(protocol)}
    return sorted(found)


def _first_line(protocol: Protocol) -> int:
    lines = [variable.line for variable in protocol.variables]
    return min(lines, default=1)


def _too_big(protocol: Protocol) -> Iterator[str]:
    kept: dict[bool, list[str]] = {False: [], True: []}
    for layer in protocol.layers:
        for name, bits in layer.registers():
            text = f"{name} {bits}" if layer is protocol else f"{layer.name}.{name} {bits}"
            kept[name in layer.aside].append(text)
    beside = protocol.aside_bits
    bits = protocol.state_bits - beside
    if bits > STATE_BITS:
        yield (
            f"a flow takes {bits} bits, {bits - STATE_BITS} more than the {STATE_BITS} of its cache line: "
            f"{', '.join(kept[False])}; make variables narrower, leave some out, or keep those that few "
            "packets need aside: {bits: 32, aside: true}"
        )
    if beside > ASIDE_BITS:
        yield (
            f"a flow keeps {beside} bits aside, {beside - ASIDE_BITS} more than {ASIDE_BITS}: "
            f"{', '.join(kept[True])}; make variables narrower, or leave some out"
        )


def _unused(protocol: Protocol) -> Iterator[tuple[int, str]]:
    acts = [action.act for row in protocol.rows for action in row.actions]
    sent = {act.template for act in acts if isinstance(act, Send | Transmit)}
    sent |= {act.final for act in acts if isinstance(act, Transmit)}
    messages = {act.message for act in acts if isinstance(act, Say)}
    scanners = {act.scanner for act in acts if isinstance(act, Scan)}
    for declared, used, text in (
        (protocol.templates, sent, "the template {!r} is never sent; send it, or leave it out"),
        (protocol.messages, messages, "nobody says the message {!r}; say it, or leave it out"),
        (protocol.scanners, scanners, "nothing is scanned by {!r}; scan, or leave it out"),
    ):
        for item in declared:
            if item.name not in used:
                yield item.line, text.format(item.name)
    yield from _unused_events(protocol, acts)


def _unused_events(protocol: Protocol, acts: Sequence[object]) -> Iterator[tuple[int, str]]:
    timers = {act.timer for act in acts if isinstance(act, StartTimer)}
    steps = {act.step for act in acts if isinstance(act, NextEvent)}
    for kind, verb, declared, used in (
        ("timer", "started", protocol.timers, timers),
        ("step", "taken", protocol.steps, steps),
    ):
        for name in declared:
            if name not in used:
                line = next((row.line for row in protocol.rows if row.event == name), 1)
                yield line, f"the {kind} {name!r} is never {verb}, so this never happens"
