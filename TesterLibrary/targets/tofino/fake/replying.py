# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The actions of the protocols in a program; a schema has only their names (p4/templates)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ....model.expression import NOTHING, Expression
from ....planning.switch.datagrams import carried_word
from ....planning.switch.match_action import match_action, reply_action, row_action
from ....planning.switch.replies import replies_only, reply_rows
from ....planning.switch.starts import carried_values
from ....planning.switch.trigger import ASKINGS, RETURNING
from ....protocols.actions.sending import Reply
from ....protocols.checker import load_protocol
from ..entries.entry import TableEntry
from ..session.program import Program
from .packet import Packet
from .store import number

_TCP = 6
_HEADERS = 40  # bytes of IPv4 and TCP without options
_ASKINGS = {asking.name: asking for asking in ASKINGS}


@dataclass(frozen=True)
class FakeAnswer:
    """An action that asks for a template: its queue, and the values that the template takes from a packet."""

    queue: int
    seq: Expression
    ack: Expression
    word: Expression = NOTHING  # the first one behind UDP


@dataclass(frozen=True)
class Actions:
    """The actions of protocols, by the last part of their names."""

    answers: Mapping[str, FakeAnswer]
    replies: Mapping[str, Reply]

    def answer(self, entry: TableEntry) -> FakeAnswer | None:
        """The answer that the entry of a row asks for; None: none. Entries of triggers have constants."""
        action = str(entry.action).rpartition(".")[2]
        asking = _ASKINGS.get(action)
        if asking is None:
            return self.answers.get(action)
        return FakeAnswer(
            number(entry, "queue"),
            _sum(asking.seq, number(entry, "add_to_seq")),
            _sum(asking.ack, number(entry, "add_to_ack")),
        )

    @classmethod
    def of(cls, program: Program) -> Actions:
        """The actions of the protocols that a program was built with."""
        returned = {one.name: one.reply for one in RETURNING.values()}
        return cls(dict(_answers(program)), returned | dict(_replies(program)))


def reply_with(reply: Reply, entry: TableEntry, packet: Packet) -> None:
    """Changes a packet that goes back; all values are read before any is set."""
    parameters = {name: number(entry, name) for name in entry.data if not name.startswith("$")}
    swaps = [(one, Expression(other)) for pair in reply.swaps for one, other in (pair, pair[::-1])]
    wanted = dict([*swaps, *reply.fields])
    values = {
        name: value.value(lambda read: _read(packet, parameters, read)) for name, value in wanted.items()
    }
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


def _sum(names: Sequence[str], constant: int) -> Expression:
    return Expression(constant, tuple(("+", name) for name in names))


def _answers(program: Program) -> Iterator[tuple[str, FakeAnswer]]:
    for protocol in map(load_protocol, program.protocols):
        for template in protocol.templates:
            queue = program.queues[f"{protocol.name}.{template.name}"]
            seq, ack = carried_values(protocol, template)
            word = carried_word(protocol, template) or NOTHING
            yield row_action(protocol, template.name), FakeAnswer(queue, seq, ack, word)


def _replies(program: Program) -> Iterator[tuple[str, Reply]]:
    for name in program.protocols:
        yield from _replies_of(name)


@cache
def _replies_of(name: str) -> Sequence[tuple[str, Reply]]:
    protocol = load_protocol(name)
    if not replies_only(protocol):
        return ()
    replies = reply_rows(match_action(protocol, {})).replies
    return [(reply_action(protocol, place), reply) for place, reply in enumerate(replies)]
