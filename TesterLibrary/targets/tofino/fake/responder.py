# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""States of flows, rows of protocols and queues of answers: p4/controls/responder.p4 and queues.p4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ....measurement.traces.segment import FIN
from ....planning.switch.datagrams import FIRST_WORD
from ....planning.switch.expectation import BEGUN, EXPECTS, IN_ORDER
from ....planning.switch.timer_scan import LOOK_VLAN
from ....planning.switch.timers import LOOKED_AT
from ..entries.entry import TableEntry
from .packet import Packet
from .pipelines import WRITE, Way
from .replying import Actions
from .store import Cells, Store, number

_INTERNAL = "InternalIngress"
_STATES = "responder.states"
_ROWS = f"internal.{_INTERNAL}.responder.efsm.rows"
_EXPECTED = "responder.efsm.expected"
_EXPECTING = f"internal.{_INTERNAL}.{_EXPECTED}.links"
_BEGUN = "responder.efsm.answers"
_IPV6_HEADERS = f"internal.{_INTERNAL}.responder.efsm.ipv6_headers"
_BEGINNING = f"internal.{_INTERNAL}.{_BEGUN}.begins"
_IPV4_HEADER = _TCP_HEADER = 20  # bytes without options
_ROOM = 16  # answers that a queue holds
_RESERVED = "tcp_reserved"
_BYTE = 1 << 8
_WORD = 1 << 32


@dataclass(frozen=True)
class _Asked:
    """A request for an answer: the packet that asks, and the answer's numbers."""

    packet: Packet
    seq: int
    ack: int
    word: int  # of UDP: the first one of the payload


class FakeResponder:
    """Runs responders. `pipe` is the pipe of a packet's loopback port; each pipe has its own registers."""

    def __init__(self, store: Store, actions: Actions) -> None:
        self._store, self._actions = store, actions
        self._asked: dict[tuple[int, int, int], _Asked] = {}  # by pipe, queue and place

    def first_pass(self, packet: Packet, pipe: int) -> Way[Packet] | None:
        """Finds the row of a packet, and asks for its answer.

        Returns:
            The way to a second pass; None if the row changes no state.
        """
        states, place = self._cells(_STATES), (pipe, packet.flow & 0x3FFFF)
        state = states.get(place, 0)
        if packet.has("vlan") and packet.get("vlan.vlan") & LOOK_VLAN == LOOK_VLAN:
            states[place] = state | LOOKED_AT
        payload_length, taken = self._carried(packet)
        expects, in_order = self._expected(packet, pipe, taken)
        begun = self._begun(packet, pipe)
        known = {
            "link": packet.link,
            "state": state,
            "payload_length": payload_length,
            IN_ORDER: in_order,
            BEGUN: begun,
            "tcp_dataofs": packet.header_length("tcp") // 4,
        }
        entry = self._store.match_by(_ROWS, lambda name: known[name] if name in known else key(packet, name))
        if entry is None:
            return None
        self._store.count_octets(_ROWS, entry, packet.size)
        known = {"payload.length": payload_length, EXPECTS: expects, FIRST_WORD: packet.get("signature.id")}
        self._ask(packet, pipe, entry, known)
        if "moves" not in entry.data or not number(entry, "moves"):
            return None
        return Way(replace(packet, kind=WRITE, template=number(entry, "next")), number(entry, "write_port"))

    def second_pass(self, packet: Packet, pipe: int) -> None:
        """Writes the state of a flow."""
        self._cells(_STATES)[pipe, packet.flow & 0x3FFFF] = packet.template

    def answer(self, template: Packet, pipe: int, queue: int) -> Packet | None:
        """The answer that a template becomes when it polls its queue; None if the queue is empty."""
        lengths, heads = self._cells("queues.lengths"), self._cells("queues.heads")
        if not lengths.get((pipe, queue), 0):
            return None
        lengths[pipe, queue] -= 1
        begin = heads.get((pipe, queue), 0)
        heads[pipe, queue] = (begin + 1) % _BYTE
        asked = self._asked[pipe, queue, begin % _ROOM]
        packet, question = template.copy(), asked.packet
        for network in ("ipv4", "ipv6"):
            for name, other in (("src", "dst"), ("dst", "src")):
                packet.set(f"{network}.{name}", question.get(f"{network}.{other}"))
        packet.set("ipv6.dst_high", question.get("ipv6.src_high"))
        transport = "udp" if packet.has("udp") else "tcp"
        for name, other in (("sport", "dport"), ("dport", "sport")):
            packet.set(f"{transport}.{name}", question.get(f"{transport}.{other}"))
        packet.set("tcp.seq", asked.seq)
        packet.set("tcp.ack", asked.ack)
        if packet.has("udp"):
            packet.set_first_word(asked.word)
        packet.link, packet.peer = question.link, question.peer
        return packet

    def _carried(self, packet: Packet) -> tuple[int, int]:
        """Bytes behind TCP, and the numbers that they and a FIN take.

        The tables of headers in p4/templates/efsm.p4.j2 have no entry for a header that is shorter than any,
        of which neither is known.
        """
        length, network = packet.get("ipv4.len"), _IPV4_HEADER
        if packet.has("ipv6") and self._store.has(_IPV6_HEADERS):
            length, network = packet.get("ipv6.plen"), 0
        header = packet.header_length("tcp")
        if header < _TCP_HEADER:
            return length, length
        payload = length - network - header
        return payload, payload + (packet.get("tcp.flags") & FIN)

    def _expected(self, packet: Packet, pipe: int, following: int) -> tuple[int, int]:
        """The number that its flow expects behind a packet, and whether it had it: see expected.p4."""
        if not self._store.has(_EXPECTING):
            return 0, 0
        entry = self._store.match(_EXPECTING, packet.link, packet.get("tcp.flags"))
        if entry is None:
            return 0, 0
        number, again = self._cells(f"{_EXPECTED}.numbers"), self._cells(f"{_EXPECTED}.moves")
        place, seq = (pipe, packet.flow & 0xFFFF), packet.get("tcp.seq")
        begins = str(entry.action).endswith(".begin")
        in_order = int(not begins and number.get(place, 0) == seq)
        if begins or in_order:
            taken = 1 if begins else following
            number[place] = again[place] = (seq + taken) % _WORD
        return number.get(place, 0), in_order

    def _begun(self, packet: Packet, pipe: int) -> int:
        """Whether an answer has begun in a packet's flow: see begun.p4."""
        if not self._store.has(_BEGINNING):
            return 0
        known = {"link": packet.link, "flags": packet.get("tcp.flags")}
        entry = self._store.match_by(
            _BEGINNING, lambda name: known[name] if name in known else key(packet, name)
        )
        if entry is None:
            return 0
        cells, place = self._cells(f"{_BEGUN}.flows"), (pipe, packet.flow & 0xFFFF)
        action = str(entry.action).rpartition(".")[2]
        before = cells.get(place, 0)
        if action != "ask":
            cells[place] = int(action == "note")
        return before if action == "forget" else cells.get(place, 0)

    def _ask(self, packet: Packet, pipe: int, entry: TableEntry, known: Mapping[str, int]) -> None:
        answer = self._actions.answer(entry)
        if answer is None:
            return
        lengths, tails = self._cells("queues.lengths"), self._cells("queues.tails")
        place = pipe, answer.queue
        if lengths.get(place, 0) >= _ROOM:
            full = self._store.cells(f"internal.{_INTERNAL}.queues.full", "$COUNTER_SPEC_PKTS")
            full[place] = full.get(place, 0) + 1
            return
        lengths[place] = lengths.get(place, 0) + 1
        end = tails.get(place, 0)
        tails[place] = (end + 1) % _BYTE

        def read(name: str) -> int:
            return known[name] if name in known else packet.get(name.lower())

        values = (answer.seq.value(read) % _WORD, answer.ack.value(read) % _WORD)
        self._asked[pipe, answer.queue, end % _ROOM] = _Asked(packet, *values, answer.word.value(read))

    def _cells(self, register: str) -> Cells:
        return self._store.cells(f"internal.{_INTERNAL}.{register}", f"{_INTERNAL}.{register}.f1")


def key(packet: Packet, name: str) -> int:
    """The value of a row's key: `tcp_flags`, `arp_valid`, `payload_word0`."""
    header, _, field = name.partition("_")
    if header == "payload":  # which has no header of its own: it is where a signature may be
        return int(packet.has("signature")) if field == "valid" else _payload(packet, field)
    if field == "valid":
        return int(packet.has(header))
    if header == "vlan":
        return packet.get("vlan.vlan") & 0xFFF
    if name == _RESERVED:
        return packet.bits("tcp", 100, 4)
    return packet.get(f"{header}.{field}")


def _payload(packet: Packet, word: str) -> int:
    at = packet.at.get("signature")
    if at is None:
        return 0
    begin = at + 2 * int(word.removeprefix("word"))
    return int.from_bytes(packet.octets[begin : begin + 2], "big")
