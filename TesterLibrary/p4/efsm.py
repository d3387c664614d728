# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The control Efsm of p4/, generated from tables of protocols: its keys, and an action for each template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import PlanError
from ..model.action import Act
from ..model.condition import Compare, Relation
from ..model.expression import Expression
from ..model.protocol import Protocol, Row
from ..model.template import Template
from ..planning.switch.answers import check_answer
from ..planning.switch.datagrams import SEEN, carried_word, is_datagram, network_of
from ..planning.switch.expectation import (
    BEGUN,
    EXPECTS,
    IN_ORDER,
    begun_variable,
    check_expected,
    expected_variable,
)
from ..planning.switch.match_action import MatchAction, row_action, row_key
from ..planning.switch.resources import PREFIX_OCTETS, QUEUES, START
from ..planning.switch.starts import CARRIED, carried_values
from ..planning.switch.timers import check_timers
from ..planning.switch.trigger import ASKINGS
from ..protocols.actions.counting import Count
from ..protocols.actions.sending import Send
from ..protocols.actions.timers import StartTimer, StopTimer
from ..protocols.actions.variables import Assign, Randomize
from ..protocols.conditions import PAYLOAD_LENGTH
from ..protocols.diagram import act_text
from .sources import templates

# Quantities that rows may test: their bits, and the program's field for each.
_QUANTITIES = {
    "state": (8, "current"),
    "IP.src": (32, "hdr.ipv4.src"),
    "IP.dst": (32, "hdr.ipv4.dst"),
    "UDP.sport": (16, "hdr.udp.sport"),
    "UDP.dport": (16, "hdr.udp.dport"),
    "TCP.sport": (16, "hdr.tcp.sport"),
    "TCP.dport": (16, "hdr.tcp.dport"),
    "TCP.seq": (32, "hdr.tcp.seq"),
    "TCP.ack": (32, "hdr.tcp.ack"),
    IN_ORDER: (1, "in_order"),
    BEGUN: (8, "begun"),
    "TCP.dataofs": (4, "hdr.tcp.dataofs"),
    "TCP.flags": (8, "hdr.tcp.flags"),
    "TCP.window": (16, "hdr.tcp.window"),
    "payload.length": (16, "payload_length"),
}
_PAYLOAD = (  # the words of 16 bits from the start of the payload that a row can test
    "hdr.signature.id",
    "hdr.signature.sequence_high",
    "hdr.signature.sequence[31:16]",
    "hdr.signature.sequence[15:0]",
    "hdr.signature.timestamp_ns[47:32]",
    "hdr.signature.timestamp_ns[31:16]",
    "hdr.signature.timestamp_ns[15:0]",
    "hdr.signature.complement",
)
_WORDS = tuple(f"payload.word{number}" for number in range(len(_PAYLOAD)))
_NO_OPTIONS = Compare(Expression("TCP.dataofs"), Relation.IS, Expression(5))
_VALUES = {"TCP.seq": "seq", "TCP.ack": "hdr.tcp.ack", "payload.length": "octets", EXPECTS: "expects"}
_OF_UDP = {"IP.src", "IP.dst", "UDP.sport", "UDP.dport"}  # quantities that rows of UDP may test


@dataclass(frozen=True)
class Key:
    """A key of the table of rows."""

    name: str
    field: str


@dataclass(frozen=True)
class Value:
    """A 32-bit value in two steps, a sum and then a constant: a stage does one operation on a field."""

    value: str
    more: int


@dataclass(frozen=True)
class TriggerAction:
    """An action that asks for a template of any queue: what is added to constants that an entry gives."""

    name: str
    seq: str
    ack: str


@dataclass(frozen=True)
class AnswerAction:
    """An action that asks for a template of its queue."""

    name: str
    queue: int
    seq: Value
    ack: Value
    word: str = ""  # the first one behind UDP; empty: it is of TCP


def efsm(programs: Sequence[MatchAction]) -> str:
    """P4 text for protocols that run at the same time; entries tell them apart by their link.

    Raises:
        PlanError: more queues than there are, or what this program does not carry to an answer.
    """
    names = [program.protocol.name for program in programs]
    if len(set(names)) < len(names):
        raise PlanError(f"protocols {', '.join(names)}: each is given once; jobs share what is built")
    for program in programs:
        check_expected(program.protocol)
        check_timers(program.protocol)
        _check_rows(program.protocol)
    answers = list(_answers(programs))
    if len(answers) > QUEUES:
        protocol, last = [
            (program.protocol, one) for program in programs for one in program.protocol.templates
        ][QUEUES]
        raise PlanError(
            f"{protocol.path}: line {last.line}: queues of templates: {len(answers)} needed, {QUEUES} there "
            f"({', '.join(answer.name for answer in answers)}); build with fewer protocols"
        )
    template = templates().get_template("efsm.p4.j2")
    protocols = [program.protocol for program in programs]
    return template.render(
        protocols=protocols,
        keys=_keys(programs),
        answers=answers,
        triggers=list(_trigger_actions()),
        ipv6=_answers_in_ipv6(programs),
        expecting=any(map(expected_variable, protocols)),
        beginning=any(map(begun_variable, protocols)),
    )


def ipv6_answers(programs: Sequence[MatchAction]) -> str:
    """P4 text for the parts of the program that only templates of IPv6 need."""
    return templates().get_template("ipv6_answers.p4.j2").render(ipv6=_answers_in_ipv6(programs))


def _answers_in_ipv6(programs: Sequence[MatchAction]) -> bool:
    return any(network_of(program.protocol) == "IPv6" for program in programs)


def queue_numbers(programs: Sequence[MatchAction]) -> dict[str, int]:
    """The queue of each template of protocols built together, by names such as `http-get.content`."""
    names = (
        f"{program.protocol.name}.{one.name}" for program in programs for one in program.protocol.templates
    )
    return {name: number for number, name in enumerate(names)}


def _keys(programs: Sequence[MatchAction]) -> list[Key]:
    asked, words = set[str](), set[str]()
    for program in programs:
        datagram = is_datagram(program.protocol)
        known = {name: place for name, place in _QUANTITIES.items() if not datagram or name in _OF_UDP}
        for entry in program.entries:
            for match in entry.match:
                if match.key == SEEN or match.key in _WORDS:
                    words.add(match.key)
                    continue
                asked.add(match.key)
                if match.key not in known or match.mask >> known[match.key][0]:
                    more = f", and {PREFIX_OCTETS} bytes behind UDP" * datagram
                    raise PlanError(
                        f"{program.protocol.path}: line {entry.line}: a row tests {match.key}, which is "
                        f"no key of the switch's table; these are: {', '.join(known)}{more}"
                    )
    keys = [Key("link", "hdr.loop.link")]
    keys += [Key(row_key(name), field) for name, (_, field) in _QUANTITIES.items() if name in asked]
    longest = max((len(entry.payload) for program in programs for entry in program.entries), default=0)
    words.update(_WORDS[: -(-longest // 2)])
    if words:
        keys.append(Key(row_key(SEEN), "hdr.signature.isValid()"))
        keys += [
            Key(row_key(name), word) for name, word in zip(_WORDS, _PAYLOAD, strict=True) if name in words
        ]
    return keys


def _answers(programs: Sequence[MatchAction]) -> Iterator[AnswerAction]:
    queues = queue_numbers(programs)
    for program in programs:
        protocol = program.protocol
        for template in protocol.templates:
            check_answer(protocol, template, program.chip)
            if not is_datagram(protocol):
                _check(protocol, template)
            seq, ack = carried_values(protocol, template)
            yield AnswerAction(
                name=row_action(protocol, template.name),
                queue=queues[f"{protocol.name}.{template.name}"],
                seq=_value(protocol, template, seq),
                ack=_value(protocol, template, ack),
                word=_word(protocol, template),
            )


def _trigger_actions() -> Iterator[TriggerAction]:
    for asking in ASKINGS:
        seq, ack = (" + ".join(_VALUES[name] for name in names) or "0" for names in (asking.seq, asking.ack))
        yield TriggerAction(asking.name, seq, ack)


def _check_rows(protocol: Protocol) -> None:
    for row in protocol.rows:
        acts = [action.act for action in row.actions]
        starts, wakes = row.event == START, row.event in protocol.timers
        known = Count | Send | StartTimer | StopTimer | (Randomize if starts else Assign)
        other = next((act for act in acts if not isinstance(act, known) or not _adds(row, act)), None)
        sends = sum(isinstance(act, Send) for act in acts)
        if not (row.event == "packet" or starts or wakes) or other or sends > 1:
            what = act_text(other) if other else f"{sends} answers" if sends > 1 else f"the event {row.event}"
            raise PlanError(
                f"{protocol.path}: line {row.line}: {what} is not in the switch's program; on an "
                "arriving packet, at the start of a flow, or when its timer is due, a row can count one, "
                "count payload.length if it tests TCP.dataofs: 5, send one template, change the state, "
                "start and stop the timer, and keep what http-get-client keeps"
            )


def _adds(row: Row, act: Act) -> bool:
    """Whether a switch adds what this action does, if it adds anything: bytes beside headers of 20."""
    if not isinstance(act, Count) or act.by.constant == 1:
        return True
    return act.by == PAYLOAD_LENGTH and _NO_OPTIONS in row.tests


def _check(protocol: Protocol, template: Template) -> None:
    for name, value in template.fields:
        if name not in CARRIED and value.constant is None:
            raise PlanError(
                f"{protocol.path}: line {template.line}: template {template.name} sets {name} to {value}; "
                f"on a switch {' and '.join(CARRIED)} can depend on the packet, other fields are constant"
            )


def _word(protocol: Protocol, template: Template) -> str:
    """The first word behind UDP of an answer; empty for one of TCP."""
    word = carried_word(protocol, template)
    return "" if word is None else _PAYLOAD[0] if word.constant is None else str(word.constant)


def _value(protocol: Protocol, template: Template, expression: Expression) -> Value:
    """A sum of at most two values of the packet or its flow, and constants."""
    names: list[str] = []
    more = 0
    for operator, atom in (("+", expression.first), *expression.rest):
        if isinstance(atom, int) and operator in "+-":
            more += atom if operator == "+" else -atom
        elif operator == "+" and atom in _VALUES and len(names) < 2:
            names.append(_VALUES[str(atom)])
        else:
            raise PlanError(
                f"{protocol.path}: line {template.line}: template {template.name} needs {expression}; on a "
                f"switch an answer can have the sum of two of {', '.join(_VALUES)}, and constants"
            )
    return Value(" + ".join(names) or "0", more % (1 << 32))
