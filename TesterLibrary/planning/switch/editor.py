# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers fields that change to the editors of a switch, which step a number below a bound (norma appendix C).

A unit holds a number. When a packet departs it becomes (number + step) mod bound, by at most one subtraction,
because a switch has no division; the step is constant, or random bits under a mask. The field is a base plus
the number, or the number's value in a list; of a field with more than 32 bits the last 32 of them. Units form
a cascade: one steps when the one before it wraps.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from ...errors import PlanError
from ...model.headers import HeaderType
from ...model.plan.edit import Distribution, PlannedEditor, RandomBits, RandomRange, Source, Step, Values
from .chip import TOFINO

WORD = 32  # bits of a unit's register
HALF = 16  # bits of a port number
LIST_VALUES = 4096  # values in all lists of a unit
_QUANTILE_BITS = 16  # bits of the random number that draws from a distribution
_FIELDS = {
    "Ether.dst": 48,
    "Ether.src": 48,
    "Dot1Q.vlan": 12,
    "MPLS.label": 20,
    "MPLS.cos": 3,
    "MPLS.ttl": 8,
    "MPLS[2].label": 20,
    "MPLS[2].cos": 3,
    "MPLS[2].ttl": 8,
    "IP.src": 32,
    "IP.dst": 32,
    "IP.tos": 8,
    "IP.ttl": 8,
    "IPv6.src": 128,
    "IPv6.dst": 128,
    "IPv6.hlim": 8,
    "ARP.psrc": 32,
    "ARP.pdst": 32,
    "UDP.sport": 16,
    "UDP.dport": 16,
    "TCP.sport": 16,
    "TCP.dport": 16,
    "TCP.seq": 32,
}
ETHERNET = ("Ether.dst", "Ether.src")  # a frame has room for their last bits within the switch
_LISTED = "Dot1Q.vlan"  # shares its container with other bits, so no base is added to it
ENTRIES = ("MPLS", "MPLS[2]")  # headers of one number of 32 bits, to whose fields is added in their place
_BEHIND = {"label": 12, "cos": 9, "ttl": 0}  # bits of an entry behind its fields


@dataclass(frozen=True)
class Listed:
    """Numbers of a unit, from the first to the last, that stand for a value."""

    first: int
    last: int
    value: int


@dataclass(frozen=True)
class SwitchEditor:
    """The entries of one unit, in the order in which a packet passes them."""

    field: str
    start: int  # number before the first packet
    step: int  # constant, or the mask of the random bits
    random: bool
    bound: int
    base: int  # added to the number
    listed: tuple[Listed, ...] = ()  # instead of base plus number
    cascaded: bool = False  # moves when the unit before it wraps
    error: float = 0.0  # the largest error of a value's probability, because it is drawn with 16 bits

    @property
    def header(self) -> str:
        """The header that has the field: `IP`, or `MPLS[2]` of the second label."""
        return self.field.rpartition(".")[0]

    def __str__(self) -> str:
        """The list and the cascade of its unit; the planned editor tells the values of the field."""
        listed = f", {len(self.listed):,} listed values" if self.listed else ""
        return f"{listed}, moved when the field before begins anew" if self.cascaded else listed


def own_fields(types: Sequence[HeaderType]) -> dict[str, int]:
    """The fields that an editor can change in headers that a program was built with, and their bits."""
    return {
        f"{header_type.name}.{field.name}": field.bits
        for header_type in types
        for field in header_type.fields
        if field.bits in (HALF, WORD)
    }


def switch_editors(
    editors: Sequence[PlannedEditor],
    own_fields: Mapping[str, int] | None = None,
    frame: bytes = b"",
    units: int = TOFINO.edited_fields,
) -> tuple[SwitchEditor, ...]:
    """The editors of one stream, by unit. A switch draws random values by itself and ignores seeds.

    Args:
        editors: The planned editors.
        own_fields: Bits of the fields of headers that a file describes and the program was built with.
        frame: A frame of the stream.
        units: The number of units.

    Raises:
        PlanError: more fields than units, a field that no unit reaches, a number that a register cannot hold,
            or values that stay for more than one packet other than in a cascade.
    """
    if len(editors) > units:
        names = ", ".join(editor.name for editor in editors)
        raise PlanError(f"{len(editors)} fields change ({names}); a switch changes {units} of a template")
    fields = {**_FIELDS, **(own_fields or {})}
    found = []
    for editor in _by_unit(editors):
        try:
            lowered = _lowered(editor, fields, cascaded=editor.every > 1)
            found.append(_in_entry(lowered, editor, frame) if lowered.header in ENTRIES else lowered)
        except PlanError as problem:
            raise PlanError(f"{editor.name}: {problem}") from None
    for entry in ENTRIES:
        both = [editor.field for editor in found if editor.header == entry]
        if len(both) > 1:
            raise PlanError(f"{' and '.join(both)} change; of a label of MPLS a switch changes one field")
    if (listed := sum(len(editor.listed) for editor in found)) > LIST_VALUES:
        raise PlanError(f"lists of {listed:,} values; a switch has room for {LIST_VALUES:,}")
    return tuple(found)


def _by_unit(editors: Sequence[PlannedEditor]) -> Sequence[PlannedEditor]:
    """Editors in an order in which one whose values stay moves when the one before it wraps."""
    ordered = sorted(editors, key=lambda editor: editor.every)
    for found in permutations(ordered):
        periods = (1, *(editor.period for editor in found))
        if all(editor.every in (1, period) for period, editor in zip(periods, found, strict=False)):
            return found
    known = {editor.period for editor in ordered}
    slow = next((editor for editor in ordered if editor.every not in {1, *known}), ordered[-1])
    raise PlanError(
        f"{slow.name}: a value stays for {slow.every:,} frames; on a switch it moves with every packet, or "
        "in a cascade, when the field before it begins anew"
    )


def _lowered(editor: PlannedEditor, fields: Mapping[str, int], *, cascaded: bool) -> SwitchEditor:
    name = editor.name if editor.name in fields else editor.field
    bits = fields.get(name)
    if bits is None:
        said = ", ".join(fields).replace("Dot1Q", "VLAN")
        raise PlanError(f"a switch does not edit it; it edits {said}")
    if bits > WORD:
        _check_upper(editor)
    start, step, random, bound, base, listed = _unit(editor.source)
    if name == _LISTED and not listed:
        if bound > LIST_VALUES:
            raise PlanError(f"its numbers go up to {bound:,}; a switch has a list of {LIST_VALUES:,} for it")
        listed, base = tuple(Listed(n, n, base + n) for n in range(bound)), 0
    if bound > 1 << WORD:
        raise PlanError(f"its numbers go up to {bound:,}; a register holds less than 2^{WORD}")
    top = (1 << min(bits, WORD)) - 1
    kept = tuple(Listed(item.first, item.last, item.value & top) for item in listed)
    error = len(kept) / (1 << _QUANTILE_BITS) if isinstance(editor.source, Distribution) else 0.0
    return SwitchEditor(name, start, step, random, bound, base & top, kept, cascaded, error)


def _in_entry(lowered: SwitchEditor, editor: PlannedEditor, frame: bytes) -> SwitchEditor:
    """An editor of a field in a number of 32 bits, whose other bits are in the base."""
    behind = _BEHIND[lowered.field.rpartition(".")[2]]
    begin = (editor.bit_offset + editor.bits + behind - WORD) // 8
    others = int.from_bytes(frame[begin : begin + WORD // 8], "big") & ~((1 << editor.bits) - 1 << behind)
    if isinstance(editor.source, Step) and not lowered.listed and behind + editor.bits < WORD:
        lowered = _within(lowered, editor.source, editor.bits)
    if lowered.listed:
        listed = tuple(replace(item, value=others | item.value << behind) for item in lowered.listed)
        return replace(lowered, base=0, listed=listed)
    return replace(
        lowered,
        start=lowered.start << behind,
        step=lowered.step << behind,
        bound=lowered.bound << behind,
        base=others + (lowered.base << behind) & (1 << WORD) - 1,
    )


def _within(lowered: SwitchEditor, source: Step, bits: int) -> SwitchEditor:
    """Steps that do not leave a field; those that do would change its neighbour, and become a list."""
    ends = source.value(0), source.value(source.count - 1)
    if min(ends) >= 0 and max(ends) < 1 << bits:
        return lowered
    if source.count > LIST_VALUES:
        raise PlanError(
            f"it begins anew within {source.count:,} values; a switch has a list of {LIST_VALUES:,} for that"
        )
    values = tuple(Listed(n, n, source.value(n) & (1 << bits) - 1) for n in range(source.count))
    return replace(lowered, start=0, step=1 % source.count, bound=source.count, base=0, listed=values)


def _check_upper(editor: PlannedEditor) -> None:
    """Raises PlanError unless all values of a long field have the same upper bits."""
    source = editor.source
    if isinstance(source, Step):
        ends = [source.value(0), source.value(source.count - 1)]
    elif isinstance(source, RandomBits):
        ends = [source.base & ~source.mask, source.base | source.mask]
    elif isinstance(source, RandomRange):
        ends = [source.first, source.first + source.count - 1]
    elif isinstance(source, Values | Distribution):
        ends = [min(source.values), max(source.values)]
    else:
        raise PlanError(f"a switch has no way to give it {source.said()}")
    # Of a field of more than 64 bits the source has a part, which need not be the last one.
    if editor.low or ends[0] >> WORD != ends[1] >> WORD:
        raise PlanError(f"its values differ before the last {WORD} bits, which are what a switch changes")


_Unit = tuple[int, int, bool, int, int, tuple[Listed, ...]]


def _unit(source: Source) -> _Unit:
    """Start, step, whether it is random, bound, base and list."""
    if isinstance(source, Step):
        size = abs(source.increment)
        bound = source.count * size
        if source.increment > 0 or source.count == 1:
            return 0, size % bound, False, bound, source.first, ()
        lowest = source.first - (source.count - 1) * size
        return bound - size, bound - size, False, bound, lowest, ()
    if isinstance(source, Values):
        values = tuple(Listed(n, n, value) for n, value in enumerate(source.values))
        return 0, 1 % len(values), False, len(values), 0, values
    if isinstance(source, RandomBits):
        low = (source.mask & -source.mask).bit_length() - 1
        if (source.mask >> low) + 1 & source.mask >> low:
            raise PlanError(f"random bits {source.mask:#x} are not adjacent; on a switch they are")
        bound = 1 << source.mask.bit_length()
        return 0, source.mask, True, bound, source.base & ~source.mask & (1 << 64) - 1, ()
    if isinstance(source, RandomRange):
        return 0, (1 << source.count.bit_length() - 1) - 1, True, source.count, source.first, ()
    if isinstance(source, Distribution):
        bound = 1 << _QUANTILE_BITS
        return 0, bound - 1, True, bound, 0, tuple(_quantiles(source))
    raise PlanError(f"a switch has no way to give it {source.said()}")


def _quantiles(source: Distribution) -> list[Listed]:
    """The ranges of 2^16 random numbers for each value; a value with an empty range is left out."""
    found, first = [], 0
    for value, bound in zip(source.values, source.cumulative, strict=True):
        last = round((bound + 1) / (1 << 64 - _QUANTILE_BITS)) - 1
        if last >= first:
            found.append(Listed(first, last, value))
            first = last + 1
    return found


def own_member(header: str) -> str:
    """The member of a header: `FabricTag` becomes own_fabric_tag. The program has no other such names."""
    return "own_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", header).lower()


def own_field(name: str) -> str:
    """The member of a field. Without the prefix it could be a word of P4, such as type, key or state."""
    return f"f_{name}"
