# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What a program was generated with: protocols, whose actions a schema has only by name (p4/templates)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ....model.action import Reply
from ....model.expression import NOTHING, Expression
from ....planning.match_action import match_action
from ....planning.row_names import reply_action, row_action
from ....planning.switch_replies import replies_only, reply_rows
from ....protocols.checker import load_protocol
from ..entry import Entry
from ..program import Program
from .packet import Packet
from .store import number

_TCP = 6
_HEADERS = 40  # bytes of IPv4 and TCP without options


@dataclass(frozen=True)
class Answer:
    """Of an action that asks for a template: its queue, and what the template takes of the packet in hand."""

    queue: int
    seq: Expression
    ack: Expression


@dataclass(frozen=True)
class Actions:
    """By the name that ends that of an action."""

    answers: Mapping[str, Answer]
    replies: Mapping[str, Reply]

    @classmethod
    def of(cls, program: Program) -> Actions:
        """Those of the protocols that a program was built with."""
        return cls(dict(_answers(program)), dict(_replies(program)))


def reply_with(reply: Reply, entry: Entry, packet: Packet) -> None:
    """Changes a packet that goes back; all values are read before any is set."""
    parameters = {name: number(entry, name) for name in entry.data if not name.startswith("$")}
    swaps = [(one, Expression(other)) for pair in reply.swaps for one, other in (pair, pair[::-1])]
    wanted = dict([*swaps, *reply.fields])
    values = {name: value.value(lambda own: _read(packet, parameters, own)) for name, value in wanted.items()}
    for name, value in values.items():
        packet.set(name.lower(), value)
    if reply.keep is not None and packet.has("tcp"):
        packet.set("ipv4.len", _HEADERS)
        at = packet.at["tcp"]
        packet.octets[at + 12] = 5 << 4
        packet.octets[at + 18 : at + 20] = bytes(2)
        head = _TCP + 20 + int.from_bytes(packet.octets[at + 12 : at + 16], "big") % (1 << 16)
        packet.rests["tcp"] = head + int.from_bytes(packet.octets[at + 12 : at + 14], "big")


def _read(packet: Packet, parameters: Mapping[str, int], name: str) -> int:
    return parameters[name] if name in parameters else packet.get(name.lower())


def _answers(program: Program) -> Iterator[tuple[str, Answer]]:
    for protocol in map(load_protocol, program.protocols):
        for template in protocol.templates:
            fields = dict(template.fields)
            yield (
                row_action(protocol, template.name),
                Answer(
                    program.queues[f"{protocol.name}.{template.name}"],
                    fields.get("TCP.seq", NOTHING),
                    fields.get("TCP.ack", NOTHING),
                ),
            )


def _replies(program: Program) -> Iterator[tuple[str, Reply]]:
    for protocol in map(load_protocol, program.protocols):
        if replies_only(protocol):
            for place, reply in enumerate(reply_rows(match_action(protocol, {})).replies):
                yield reply_action(protocol, place), reply
