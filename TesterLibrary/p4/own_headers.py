# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Headers of a user's own in the program of a switch, generated from header files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..errors import PlanError
from ..model.headers import FieldType, HeaderType
from ..planning.switch.editor import own_field, own_fields, own_member
from .sources import templates

# Headers that may announce a user's header, and the field that does it.
_BEHIND = {"Ether": "type", "Dot1Q": "type"}
# Headers that a user's header may announce, and their parser states.
_KNOWN = {"IP": "ipv4", "IPv6": "ipv6", "ARP": "arp"}
_WIDEST = 128  # bits of the widest field


@dataclass(frozen=True)
class Case:
    """A case of a select expression: a number and the parser state that it leads to."""

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
    names = [header_type.name for header_type in types]
    if len(set(names)) < len(names):
        raise PlanError(f"headers {', '.join(names)}: each is given once")
    ordered = _ordered(types)
    headers = [_header(header, types) for header in ordered]
    return (
        templates()
        .get_template("own_headers.p4.j2")
        .render(headers=headers, ethernet_types=list(_ethernet_types(ordered)))
    )


def _ordered(types: Sequence[HeaderType]) -> list[HeaderType]:
    """Each behind those that announce it, as a deparser writes them."""
    left, found = list(types), list[HeaderType]()
    while left:
        ready = [header for header in left if not any(_announced(other, header) for other in left)]
        if not ready:
            raise PlanError(
                f"headers {', '.join(header.name for header in left)} announce one another in a circle"
            )
        found += ready
        left = [header for header in left if header not in ready]
    return found


def _announced(before: HeaderType, header: HeaderType) -> Mapping[str, int]:
    """Fields of `before`, with their values, that say that `header` follows."""
    return before.carries.get(header.name) or header.follows.get(before.name) or {}


def _ethernet_types(types: Sequence[HeaderType]) -> Iterator[Case]:
    defined = {header.name for header in types}
    for header in types:
        for before, fields in header.follows.items():
            if before in defined:
                continue
            if before not in _BEHIND or set(fields) != {_BEHIND[before]}:
                raise PlanError(
                    f"header {header.name!r} follows {before} by {', '.join(fields)}; on a switch one "
                    f"follows {' or '.join(_BEHIND)} by its type, or another header of yours"
                )
        values = {fields["type"] for before, fields in header.follows.items() if before not in defined}
        yield from (Case(value, own_member(header.name)) for value in sorted(values))


def _header(header: HeaderType, types: Sequence[HeaderType]) -> OwnHeader:
    for field in header.fields:
        if field.bits > _WIDEST:
            raise PlanError(
                f"header {header.name!r}: field {field.name} of {field.bits} bits; a switch takes {_WIDEST}"
            )
    following = {other.name: own_member(other.name) for other in types} | _KNOWN
    announced = {other.name: _announced(header, other) for other in types} | dict(header.carries)
    announced = {name: fields for name, fields in announced.items() if fields}
    if unknown := sorted(set(announced) - set(following)):
        raise PlanError(
            f"header {header.name!r} carries {', '.join(unknown)}; on a switch one carries "
            f"{', '.join(_KNOWN)}, or another header of yours"
        )
    by = {field for fields in announced.values() for field in fields}
    if len(by) > 1 or any(len(fields) > 1 for fields in announced.values()):
        raise PlanError(
            f"header {header.name!r} says by {', '.join(sorted(by))} what follows it; "
            "on a switch one field does"
        )
    edited = {name.rpartition(".")[2] for name in own_fields([header])}
    return OwnHeader(
        type=header.name,
        name=own_member(header.name),
        fields=tuple(FieldType(own_field(field.name), field.bits) for field in header.fields),
        edited=tuple(
            FieldType(own_field(field.name), field.bits) for field in header.fields if field.name in edited
        ),
        announces="".join(map(own_field, by)),
        cases=tuple(
            Case(value, following[name]) for name, fields in announced.items() for value in fields.values()
        ),
    )
