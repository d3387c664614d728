# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Headers of a user's own in the program of a switch, generated from header files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..errors import PlanError
from ..model.headers import FieldType, HeaderType
from ..planning.own_members import own_field, own_member
from ..planning.switch_editor import own_fields
from .sources import templates

_BEHIND = {"Ether": "type", "Dot1Q": "type"}  # what may announce one of them, and its field
_KNOWN = {"IP": "ipv4", "IPv6": "ipv6", "ARP": "arp"}  # what one of them may announce: states of the parsers
_WIDEST = 128  # bits of a field


@dataclass(frozen=True)
class Case:
    """Of a select: a number and the state that it leads to."""

    value: int
    state: str


@dataclass(frozen=True)
class OwnHeader:
    """A header as the template writes it."""

    type: str
    name: str
    fields: tuple[FieldType, ...]
    edited: tuple[FieldType, ...]
    announces: str  # the field that says what follows; empty if nothing does
    cases: tuple[Case, ...]


def own_headers(types: Sequence[HeaderType]) -> str:
    """P4 text for headers behind Ethernet, behind a VLAN tag, or behind one another.

    Raises:
        PlanError: a header in another place, or one that tells by two fields what follows it.
    """
    names = [own.name for own in types]
    if len(set(names)) < len(names):
        raise PlanError(f"headers {', '.join(names)}: each is given once")
    ordered = _ordered(types)
    headers = [_header(own, types) for own in ordered]
    return (
        templates()
        .get_template("own_headers.p4.j2")
        .render(headers=headers, ethernet_types=list(_ethernet_types(ordered)))
    )


def _ordered(types: Sequence[HeaderType]) -> list[HeaderType]:
    """Each behind those that announce it, as a deparser writes them."""
    left, found = list(types), list[HeaderType]()
    while left:
        ready = [own for own in left if not any(_announced(other, own) for other in left)]
        if not ready:
            raise PlanError(f"headers {', '.join(own.name for own in left)} announce one another in a circle")
        found += ready
        left = [own for own in left if own not in ready]
    return found


def _announced(before: HeaderType, own: HeaderType) -> Mapping[str, int]:
    """Fields of `before` that say that `own` follows."""
    return before.carries.get(own.name) or own.follows.get(before.name) or {}


def _ethernet_types(types: Sequence[HeaderType]) -> Iterator[Case]:
    own = {other.name for other in types}
    for header in types:
        for before, fields in header.follows.items():
            if before in own:
                continue
            if before not in _BEHIND or set(fields) != {_BEHIND[before]}:
                raise PlanError(
                    f"header {header.name!r} follows {before} by {', '.join(fields)}; on a switch one "
                    f"follows {' or '.join(_BEHIND)} by its type, or another header of yours"
                )
        values = {fields["type"] for before, fields in header.follows.items() if before not in own}
        yield from (Case(value, own_member(header.name)) for value in sorted(values))


def _header(own: HeaderType, types: Sequence[HeaderType]) -> OwnHeader:
    for field in own.fields:
        if field.bits > _WIDEST:
            raise PlanError(
                f"header {own.name!r}: field {field.name} of {field.bits} bits; a switch takes {_WIDEST}"
            )
    following = {other.name: own_member(other.name) for other in types} | _KNOWN
    announced = {other.name: _announced(own, other) for other in types} | dict(own.carries)
    announced = {name: fields for name, fields in announced.items() if fields}
    if unknown := sorted(set(announced) - set(following)):
        raise PlanError(
            f"header {own.name!r} carries {', '.join(unknown)}; on a switch one carries {', '.join(_KNOWN)}, "
            "or another header of yours"
        )
    by = {field for fields in announced.values() for field in fields}
    if len(by) > 1 or any(len(fields) > 1 for fields in announced.values()):
        raise PlanError(
            f"header {own.name!r} says by {', '.join(sorted(by))} what follows it; on a switch one field does"
        )
    edited = {name.rpartition(".")[2] for name in own_fields([own])}
    return OwnHeader(
        type=own.name,
        name=own_member(own.name),
        fields=tuple(FieldType(own_field(field.name), field.bits) for field in own.fields),
        edited=tuple(
            FieldType(own_field(field.name), field.bits) for field in own.fields if field.name in edited
        ),
        announces="".join(map(own_field, by)),
        cases=tuple(
            Case(value, following[name]) for name, fields in announced.items() for value in fields.values()
        ),
    )
