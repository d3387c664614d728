# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of a header's field: one, a list, steps, or random ones, as the model's patterns have them."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from ...errors import UnitError
from ...model.editor import FieldValues, Mode, Sweep
from .schema import Message, chosen, descriptor, given, named
from .support import reads

MOST_RANDOM = 65536  # values of a random pattern, which are drawn when the configuration is set
_LARGEST = {"PatternFlowIpv6FlowLabelRandom": str((1 << 20) - 1)}  # the model's; all others are of ports
_LARGEST_PORT = str((1 << 16) - 1)
_WIDTHS: dict[type, int] = {IPv4Address: 32, IPv6Address: 128}
_PLAIN = ("value", "values", "increment", "decrement", "random", "auto", "generated", "custom")
_CONSTANT = ("value", "auto")


@dataclass(frozen=True)
class Written:
    """A field as a header stack has it: its first value, and how it changes from frame to frame."""

    first: str
    mode: Mode | None = None

    def shifted(self, change: Callable[[int], int]) -> Written:
        """The same values in another place of a wider field: a linear change of each number."""
        mode = self.mode
        if isinstance(mode, FieldValues):
            mode = FieldValues(tuple(str(change(int(value))) for value in mode.values))
        elif isinstance(mode, Sweep):
            step = change(int(mode.step)) - change(0)
            mode = Sweep(str(change(int(mode.first))), step=str(step), count=mode.count)
        return Written(str(change(int(self.first))), mode)


def read_pattern(message: str, field: str, *, changes: bool = True) -> None:
    """Says that a field's pattern is read; with `changes=False` only one value of it."""
    reads(message, field)
    pattern = descriptor(message).fields_by_name[field].message_type
    allowed = [
        name
        for name in (_PLAIN if changes else _CONSTANT)
        if name in pattern.fields_by_name
        and not (name == "auto" and pattern.fields_by_name[name].message_type)
    ]
    only = {"choice": " ".join(allowed)}
    if "generated" in allowed:
        only["generated"] = "good"
    reads(pattern.name, f"choice {' '.join(allowed)}", **only)
    for name in allowed:
        inner = pattern.fields_by_name[name].message_type
        if inner is not None and name != "auto":
            reads(inner.name, " ".join(each.name for each in inner.fields))


def written(pattern: Message, default: str | None) -> Written | None:
    """The values of a field; None where the tester fills it in. UnitError for values that cannot be.

    `default`: the value that the model has for a field without any; None: the tester fills it in.
    """
    choice = chosen(pattern, "value")
    start = default or "0"
    if choice == "value":
        if not pattern.HasField("value") and default is None:
            return None
        return Written(str(given(pattern, "value", start)))
    if choice == "values":
        values = tuple(map(str, pattern.values)) or (start,)
        return Written(values[0], FieldValues(values) if len(set(values)) > 1 else None)
    if choice in ("increment", "decrement"):
        return _counted(getattr(pattern, choice), start, "-" if choice == "decrement" else "")
    if choice == "random":
        return _drawn(pattern.random, start)
    if choice == "custom":
        return Written(str(pattern.custom))
    if choice == "generated" and named(pattern, "generated") not in ("", "good"):
        raise UnitError("a generated checksum is good; a bad one is a custom value")
    return None  # auto, or a generated checksum


def _counted(counter: Message, start: str, sign: str) -> Written:
    first, step = str(given(counter, "start", start)), str(given(counter, "step", _unit(start)))
    count = given(counter, "count", 1)
    if not count:
        raise UnitError("a count of 0; give at least 1")
    stands = count == 1 or not _number(step)
    return Written(first, None if stands else Sweep(first, step=f"{sign}{step}", count=count))


def _drawn(spread: Message, start: str) -> Written:
    """All values are drawn now: they repeat after `count`, as the model says."""
    kind = _kind(start)
    bits = _WIDTHS.get(kind)
    least = _number(str(given(spread, "min", start)))
    largest = str(kind((1 << bits) - 1)) if bits else _LARGEST.get(spread.DESCRIPTOR.name, _LARGEST_PORT)
    most = _number(str(given(spread, "max", largest)))
    count, seed = given(spread, "count", 1), given(spread, "seed", 1)
    if not 1 <= count <= MOST_RANDOM:
        raise UnitError(f"{count} random values; at most {MOST_RANDOM} are drawn, at least 1")
    if most < least:
        raise UnitError(f"the range from {spread.min} to {spread.max} is reversed; exchange its ends")
    source = random.Random(seed or secrets.randbits(64))
    values = tuple(_text(kind, source.randint(least, most)) for _ in range(count))
    return Written(values[0], FieldValues(values) if len(set(values)) > 1 else None)


def _kind(text: str) -> type:
    """The type of a value: a number, or an address of a kind."""
    if "." in text:
        return IPv4Address
    return (bytes if text.count(":") == 5 else IPv6Address) if ":" in text else int


def _unit(start: str) -> str:
    kind = _kind(start)
    return "00:00:00:00:00:01" if kind is bytes else "1" if kind is int else str(kind(1))


def _number(text: str) -> int:
    try:
        if text.count(":") == 5 and "::" not in text:
            return int(text.replace(":", ""), 16)
        return int(text) if text.isdecimal() else int(IPv6Address(text) if ":" in text else IPv4Address(text))
    except ValueError:
        raise UnitError(f"{text!r} is neither a number nor an address") from None


def _text(kind: type, number: int) -> str:
    if kind is bytes:
        return number.to_bytes(6, "big").hex(":")
    return str(kind(number))
