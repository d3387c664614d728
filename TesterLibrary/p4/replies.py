# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The controls of p4/ that send packets back as they came but for a few fields, generated from protocols."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..errors import PlanError
from ..model.expression import Expression
from ..planning.switch.match_action import MatchAction, reply_action, row_key
from ..planning.switch.replies import header_key, known_by, reply_rows
from ..planning.switch.trigger import KNOWN_BY, NINTH_FLAG, RETURNING, TESTED
from ..protocols.actions.sending import Reply
from .efsm import Key
from .sources import templates

# Fields that egress can set: their bits, and the program's name of each. A deparser does not update the TCP
# checksum for the fields after the acknowledgement number, so those are set only where the whole sum is new.
_FIELDS = {
    "Ether.dst": (48, "hdr.ethernet.dst"),
    "Ether.src": (48, "hdr.ethernet.src"),
    "ARP.op": (16, "hdr.arp.operation"),
    "ARP.hwsrc": (48, "hdr.arp.sender_mac"),
    "ARP.psrc": (32, "hdr.arp.sender"),
    "ARP.hwdst": (48, "hdr.arp.target_mac"),
    "ARP.pdst": (32, "hdr.arp.target"),
    "IP.src": (32, "hdr.ipv4.src"),
    "IP.dst": (32, "hdr.ipv4.dst"),
    "IP.ttl": (8, "hdr.ipv4.ttl"),
    "ICMP.type": (8, "hdr.icmp.type"),
    "ICMP.code": (8, "hdr.icmp.code"),
    "UDP.sport": (16, "hdr.udp.sport"),
    "UDP.dport": (16, "hdr.udp.dport"),
    "TCP.sport": (16, "hdr.tcp.sport"),
    "TCP.dport": (16, "hdr.tcp.dport"),
    "TCP.seq": (32, "hdr.tcp.seq"),
    "TCP.ack": (32, "hdr.tcp.ack"),
}
_REST_OF_TCP = {"TCP.flags": (8, "hdr.tcp.flags"), "TCP.window": (16, "hdr.tcp.window")}
_RESERVED = Key(row_key(NINTH_FLAG), "hdr.tcp.reserved")
_KEYS = {
    "ARP.hwtype": (16, "hdr.arp.hardware"),
    "ARP.ptype": (16, "hdr.arp.protocol"),
    "ARP.hwlen": (8, "hdr.arp.hardware_length"),
    "ARP.plen": (8, "hdr.arp.protocol_length"),
    **{name: place for name, place in _FIELDS.items() if place[0] <= 32},
    **_REST_OF_TCP,
}
_VALID = {"ARP": "hdr.arp", "ICMP": "hdr.icmp", "UDP": "hdr.udp", "TCP": "hdr.tcp"}


@dataclass(frozen=True)
class HeldValue:
    """A field's value that is saved before the field is set, or a parameter of the action."""

    name: str
    bits: int
    field: str = ""


@dataclass(frozen=True)
class Assignment:
    """An assignment of a value to a field."""

    field: str
    value: str


@dataclass(frozen=True)
class ReplyAction:
    """An action as the template writes it: all values are read before any is set."""

    name: str
    parameters: tuple[HeldValue, ...]
    held: tuple[HeldValue, ...]
    assignments: tuple[Assignment, ...]


def replies(programs: Sequence[MatchAction]) -> str:
    """P4 text for protocols that keep nothing of a flow and only send back the packet in hand.

    Raises:
        PlanError: a row tests or changes what this program does not reach.
    """
    text = templates().get_template("replies.p4.j2")
    actions = [action for program in programs for action in _actions(program)]
    actions += [_action(one.name, header, one.parameters, one.reply) for header, one in RETURNING.items()]
    protocols = [program.protocol for program in programs]
    return text.render(protocols=protocols, keys=_keys(programs), replies=actions)


def _keys(programs: Sequence[MatchAction]) -> list[Key]:
    keys = [Key("vlan_valid", "hdr.vlan.isValid()"), Key("vlan", "hdr.vlan.vlan")]
    keys.append(Key("ipv4_valid", "hdr.ipv4.isValid()"))
    headers = {known_by(program.protocol): program for program in programs}
    for header, program in headers.items():
        if header not in _VALID:
            protocol = program.protocol
            raise PlanError(
                f"{protocol.path}: line {protocol.packets_line}: packets of {header}; "
                f"a switch replies to {', '.join(_VALID)}"
            )
    keys += [
        Key(header_key(header), f"{place}.isValid()")
        for header, place in _VALID.items()
        if header in headers or header in KNOWN_BY
    ]
    asked = {name: program for program in programs for name in reply_rows(program).tested}
    for name, program in asked.items():
        if name not in _KEYS:
            rows = (entry for entry in program.entries if any(match.key == name for match in entry.match))
            line = next((entry.line for entry in rows), program.protocol.packets_line)
            raise PlanError(
                f"{program.protocol.path}: line {line}: a row tests {name}, which is no key of "
                f"the switch's table; these are: {', '.join(_KEYS)}"
            )
    return [*keys, _RESERVED] + [
        Key(row_key(name), field) for name, (_, field) in _KEYS.items() if name in asked or name in TESTED
    ]


def _actions(program: MatchAction) -> Iterator[ReplyAction]:
    protocol = program.protocol
    parameters = {parameter.name: parameter.bits for parameter in protocol.parameters}
    for number, reply in enumerate(reply_rows(program).replies):
        try:
            yield _action(reply_action(protocol, number), known_by(protocol), parameters, reply)
        except PlanError as problem:
            line = next(
                action.line for row in program.protocol.rows for action in row.actions if action.act == reply
            )
            raise PlanError(f"{program.protocol.path}: line {line}: {problem}") from None


def _action(action: str, header: str, parameters: Mapping[str, int], reply: Reply) -> ReplyAction:
    if reply.append or (reply.keep is not None and reply.keep.constant != 0):
        raise PlanError("a reply keeps its payload as it is, or none of it, on a switch")
    fields = _FIELDS | (_REST_OF_TCP if reply.keep is not None else {})
    swapped = [(one, Expression(other)) for pair in reply.swaps for one, other in (pair, pair[::-1])]
    wanted = dict([*swapped, *reply.fields])
    asked = _names(wanted, fields, parameters)
    held = {name: f"held_{row_key(name)}" for name in asked if name in wanted}
    places = (
        {name: place for name, (_, place) in fields.items()}
        | {parameter: parameter for parameter in parameters}
        | held
    )
    assignments = [Assignment(fields[name][1], _value(value, places)) for name, value in wanted.items()]
    return ReplyAction(
        action,
        tuple(HeldValue(name, parameters[name]) for name in asked if name in parameters),
        tuple(HeldValue(copy, fields[name][0], fields[name][1]) for name, copy in held.items()),
        (*assignments, *_rest(header, reply, wanted)),
    )


def _value(value: Expression, places: dict[str, str]) -> str:
    """A field, a parameter or a constant; or one of the former and a constant."""
    names = list(value.names)
    shape = [value.first, *(atom for _, atom in value.rest)]
    sums = all(operator in "+-" and isinstance(atom, int) for operator, atom in value.rest)
    if len(names) > 1 or not sums or len(shape) > 2:
        raise PlanError(f"a reply needs {value}; on a switch a field is another one, and a constant added")
    first = places[value.first] if isinstance(value.first, str) else str(value.first)
    return " ".join([first, *(f"{operator} {atom}" for operator, atom in value.rest)])


def _names(
    values: Mapping[str, Expression], fields: Collection[str], parameters: Collection[str]
) -> list[str]:
    """The names in the values that a reply sets. PlanError for what a switch neither sets nor has."""
    for name in values:
        if name not in fields:
            raise PlanError(f"a reply sets {name}; on a switch it sets {', '.join(fields)}")
    names = list(dict.fromkeys(name for value in values.values() for name in value.names))
    for name in names:
        if name not in fields and name not in parameters:
            raise PlanError(f"a reply needs {name}; on a switch it has {', '.join((*fields, *parameters))}")
    return names


def _rest(header: str, reply: Reply, wanted: dict[str, Expression]) -> Iterator[Assignment]:
    """Assigns the part of the checksum that a deparser does not add, and the lengths without payload."""
    if header == "ICMP":
        if reply.keep is not None:
            raise PlanError("a reply of ICMP keeps its payload on a switch")
        yield Assignment("icmp_changed", "true")
    if reply.keep is None or header == "ARP":
        return
    if header != "TCP":
        raise PlanError(f"a reply of {header} keeps its payload on a switch")
    constants = {name: wanted[name].constant for name in _REST_OF_TCP if name in wanted}
    if len(constants) < len(_REST_OF_TCP) or None in constants.values():
        raise PlanError(f"a reply without payload sets {' and '.join(_REST_OF_TCP)} to constants on a switch")
    flags, window = (constants[name] or 0 for name in _REST_OF_TCP)
    total = 6 + 20 + (5 << 12 | flags) + window  # pseudo header, then TCP header without options
    for field, value in (
        ("hdr.ipv4.len", 40),
        ("hdr.tcp.dataofs", 5),
        ("hdr.tcp.reserved", 0),
        ("hdr.tcp.urgptr", 0),
        ("l4_rest", (total & 0xFFFF) + (total >> 16)),
    ):
        yield Assignment(field, str(value))
