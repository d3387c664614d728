# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The pipelines of the front-panel ports, packet by packet, like p4/external.p4."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....model.capture import Direction
from ....planning.switch.chip import PORT_MASK, pipe_of
from ....planning.switch.query_keys import KEYS
from ..copies.copy_record import OF_TEMPLATE, RECEIVED, TRANSMITTED, CopyRecord
from ..entries.entry import TableEntry
from ..entries.latency import UNKNOWN_NS
from ..entries.misrouted import DIGEST
from ..entries.queries import TABLES as QUERIES
from ..reading.arrival import Arrival
from ..session.switch import Digest
from .copy import Copy, next_copy
from .digests import Digests
from .packet import Packet
from .pipelines import FORWARDED, READ, REPLY, TEMPLATE, Left, Mirrored, Way
from .replying import Actions, reply_with
from .responder import key
from .store import Store, first, number

_QUERY_KEYS = {key.name: key for key in KEYS}
_CPU_HEADER = 5  # bytes
_WORD, _HALF, _HALF_WORD = 1 << 32, 1 << 16, 1 << 31
_TIME = (1 << 48) - 1
_INGRESS, _EGRESS = "ExternalIngress", "ExternalEgress"


class External:
    """Ingress and egress. Times are nanoseconds of the switch's clock."""

    def __init__(self, store: Store, actions: Actions, digests: Digests) -> None:
        self._store, self._actions, self._digests = store, actions, digests

    def ingress(self, port: int, octets: bytes, now_ns: int) -> Iterator[Way[Packet] | Mirrored[Copy]]:
        """The ways of a frame that arrives and of its copy. It may be only counted, or end in a header."""
        if self._role(port) == 1:
            sent = self._from_driver(octets)
            if not sent.packet.cut_off:
                yield sent
            return
        packet = Packet.parse(octets, arrives=True)
        if packet.cut_off:
            return
        copy = self._copied(_INGRESS, RECEIVED, port, octets, now_ns)
        if copy is not None:
            yield copy
        way = self._classified(packet, port, now_ns)
        if way is not None:
            yield way

    def egress(self, packet: Packet | Copy, port: int, now_ns: int) -> Left[Packet | Copy]:
        """The bytes of a packet as it leaves by a port, and its copy."""
        if isinstance(packet, Copy):
            self._count(_EGRESS, packet.size, port, 0)
            return Left(packet.carried(self._store, f"external.{_EGRESS}", port))
        packet = packet.copy()
        octets = self._left(packet, port, now_ns)
        event = 0 if packet.kind in (FORWARDED, REPLY) else OF_TEMPLATE | packet.template
        return Left(octets, self._copied(_EGRESS, TRANSMITTED, port, octets, now_ns, event))

    def _copied(
        self, gress: str, heading: int, port: int, octets: bytes, now_ns: int, event: int = 0
    ) -> Mirrored[Copy] | None:
        """The copy of a packet, if those of its port are copied."""
        control = f"external.{gress}.copies"
        entry = self._store.match(f"{control}.ports", port)
        if entry is None:
            return None
        series = number(entry, "series")
        copy = next_copy(self._store, f"{control}.copying.numbers", pipe_of(port), series)
        record = CopyRecord(series, heading, event, copy, now_ns & _TIME, octets)
        return Mirrored(Copy(record), number(entry, "session"))

    def _left(self, packet: Packet, port: int, now_ns: int) -> bytes:
        """The bytes of a packet behind the egress."""
        measured, version, stream = False, 0, packet.template
        if packet.kind == REPLY:
            self._reply(packet)
        elif packet.kind != FORWARDED:
            entry = self._store.match(f"external.{_EGRESS}.version.versions", stream)
            if entry and _is(entry, "measure"):
                measured, version = True, number(entry, "own")
                packet.version = version
            self._sign(packet, port, now_ns)
            if measured:
                self._sum_times(_EGRESS, port, 2 * stream + version, now_ns)
                self._count_stream(_EGRESS, packet.worn, port, 2 * stream + version)
            self._restore(packet, port)
        within = packet.kind in (FORWARDED, REPLY)
        known = {
            "egress_port": port,
            "measured": int(measured),
            "stream": 0 if within else stream,
            "worn": packet.headers_within,
        }
        self._ask_queries(Direction.TRANSMITTED, packet, known, packet.worn)
        self._count(_EGRESS, packet.worn, port, version)
        if packet.kind != FORWARDED:
            packet.deparse()
        return packet.cpu_header + bytes(packet.octets)

    def _from_driver(self, octets: bytes) -> Way[Packet]:
        kind, link, template = octets[:3]
        packet = Packet.parse(octets[_CPU_HEADER:])
        packet.kind, packet.link, packet.template = kind, link, template
        if kind == TEMPLATE:
            packet.peer, packet.octets[:12] = bytes(packet.octets[6:12]), bytes(12)
        return Way(packet, int.from_bytes(octets[3:5], "big") & PORT_MASK)

    def _classified(self, packet: Packet, port: int, now_ns: int) -> Way[Packet] | None:
        version, stream, signed = packet.version, None, False
        entry = None
        if packet.has("signature"):
            identity = packet.get("signature.id"), packet.signature_rest
            entry = self._store.match(f"external.{_INGRESS}.classifier.signatures", 1, *identity)
        if entry and _is(entry, "signed"):
            stream, signed = number(entry, "stream"), True
        else:
            entry = self._class_of(packet, port)
            if entry and _is(entry, "unsigned"):
                stream = number(entry, "stream")
        known = {"ingress_port": port, "measured": int(stream is not None), "stream": stream or 0}
        self._ask_queries(Direction.RECEIVED, packet, known, packet.size)
        if signed and stream is not None and entry and number(entry, "port") != port:
            self._misrouted(packet, port, version, stream)
            return None
        self._count(_INGRESS, packet.size, port, version)
        if stream is not None:
            arrival, skipped = Arrival.ABOVE, 0
            if signed:
                self._measure(packet, port, stream, now_ns)
                self._count_flow(packet, port, stream)
                arrival, skipped = self._ordered(packet.get("signature.sequence"), port, stream)
            self._note_outage(packet.get("signature.sequence"), skipped, port, stream, now_ns)
            self._sum_times(_INGRESS, port, 2 * stream + version, now_ns)
            self._count_stream(_INGRESS, packet.size, port, arrival << 9 | 2 * stream + version)
            return None
        if entry and (_is(entry, "flow_of_port") or _is(entry, "flow_of_destination")):
            return self._stateful(packet, entry)
        row = self._row_of(packet, port)
        if row is not None:
            return self._replied(packet, port, row)
        return self._forwarded(packet, port)

    def _ask_queries(self, direction: Direction, packet: Packet, known: Mapping[str, int], size: int) -> None:
        """Counts a frame in the row of each query that it has one in."""
        for table in QUERIES[direction]:
            if self._store.entries(table):
                entry = self._store.match_by(
                    table, lambda name: known[name] if name in known else query_key(packet, name)
                )
                if entry is not None:
                    self._store.count_octets(table, entry, size)

    def _misrouted(self, packet: Packet, port: int, version: int, stream: int) -> None:
        """Counts a frame at another port than expected."""
        self._count(_INGRESS, packet.size, port, version)
        control, slot = f"external.{_INGRESS}.misrouted", 2 * port + version
        self._counted(f"{control}.streams", "$COUNTER_SPEC_PKTS", port, stream, 1)
        self._counted(f"{control}.ports", "$COUNTER_SPEC_PKTS", port, slot, 1)
        self._counted(f"{control}.ports", "$COUNTER_SPEC_BYTES", port, slot, packet.size)
        self._digests.tell(Digest(DIGEST, {"stream": stream, "port": port}))

    def _class_of(self, packet: Packet, port: int) -> TableEntry | None:
        return self._match(f"external.{_INGRESS}.classifier.classes", packet, port)

    def _stateful(self, packet: Packet, entry: TableEntry) -> Way[Packet]:
        """Gives a packet its flow's number, by the end of the client: its host, and its port."""
        if _is(entry, "flow_of_port"):
            host, own = number(entry, "host"), packet.get("tcp.sport")
        else:
            host, own = packet.get("ipv4.dst") + number(entry, "add_to_host"), packet.get("tcp.dport")
        port = (own + number(entry, "add_to_port")) % (1 << 16)
        bits = number(entry, "ports")
        return self._inside(packet, entry, (host << bits | port & (1 << bits) - 1) % (1 << 24))

    def _inside(self, packet: Packet, entry: TableEntry, flow: int) -> Way[Packet]:
        packet.kind, packet.link, packet.template = READ, number(entry, "link"), 0
        packet.flow, packet.peer = flow, bytes(packet.octets[6:12])
        packet.octets[:12] = bytes(12)
        return Way(packet, number(entry, "loopback"))

    def _row_of(self, packet: Packet, port: int) -> TableEntry | None:
        """The row that a packet matches, of protocols without state."""
        return self._match(f"external.{_INGRESS}.reply_rows.rows", packet, port)

    def _match(self, table: str, packet: Packet, port: int) -> TableEntry | None:
        """The entry that a packet hits which has arrived at a port."""
        return self._store.match_by(table, lambda name: port if name == "ingress_port" else key(packet, name))

    def _replied(self, packet: Packet, port: int, row: TableEntry) -> Way[Packet] | None:
        if _is(row, "ask") or _is(row, "send_back"):
            return self._waited(packet, port, row)
        if not _is(row, "reply"):
            return None
        packet.kind, packet.template = REPLY, number(row, "number")
        return Way(packet, port)

    def _waited(self, packet: Packet, port: int, row: TableEntry) -> Way[Packet] | None:
        """Has a trigger go off, if it is still to: the packet asks inside for its template, or goes back."""
        left, place = self._cells(_INGRESS, "reply_rows.left", "f1"), (pipe_of(port), number(row, "trigger"))
        if not left.get(place, 0):
            return None
        left[place] -= 1
        if _is(row, "ask"):
            return self._inside(packet, row, 0)
        packet.kind, packet.template = REPLY, number(row, "number")
        return Way(packet, number(row, "port"))

    def _reply(self, packet: Packet) -> None:
        entry = self._store.match(f"external.{_EGRESS}.replies.numbers", packet.template)
        if entry is not None:
            reply = self._actions.replies[str(entry.action).rpartition(".")[2]]
            reply_with(reply, entry, packet)

    def _forwarded(self, packet: Packet, port: int) -> Way[Packet] | None:
        entry = self._store.match(
            f"external.{_INGRESS}.forwarding.stations", port, packet.destination, packet.ether_type
        )
        if entry is None or _is(entry, "drop"):
            return None
        packet.kind = FORWARDED
        if _is(entry, "send_to_driver"):
            packet.from_port = port
        return Way(packet, number(entry, "port"))

    def _ordered(self, sequence: int, port: int, stream: int) -> tuple[Arrival, int]:
        """How a frame arrives, and how many numbers it skips, modulo 2^32."""
        following, place = self._cells(_INGRESS, "order.next", "f1"), (pipe_of(port), stream)
        skipped = (sequence - following.get(place, 0)) % _WORD
        above = skipped < _HALF_WORD
        if above:
            following[place] = (sequence + 1) % _WORD
        highest, cell = self._cells(_INGRESS, "order.cells", "f1"), (place[0], stream << 8 | sequence % 256)
        before, this = highest.get(cell, 0), (sequence + 1) % _WORD
        ahead = (before - this) % _WORD
        if ahead >= _HALF_WORD:
            highest[cell] = this
        if above:
            return Arrival.ABOVE, skipped
        if ahead == 0:
            return Arrival.AGAIN, skipped
        return Arrival.LATE if ahead < _HALF_WORD else Arrival.OVERTAKEN, skipped

    def _note_outage(self, sequence: int, skipped: int, port: int, stream: int, now_ns: int) -> None:
        place, time = (pipe_of(port), stream), (now_ns >> 9) % _WORD | 1
        first_of, last_of = (self._cells(_INGRESS, "outages.arrivals", name) for name in ("first", "last"))
        last = last_of.get(place, 0)
        first_of[place], last_of[place] = first_of.get(place) or time, time
        if not last or not 0 < skipped < _HALF_WORD:
            return
        length = (time - last) % _WORD
        for register, field, value in (("longest", "since", last), ("most", "frames", skipped)):
            lengths = self._cells(_INGRESS, f"outages.{register}", "length")
            if length >= lengths.get(place, 0):
                lengths[place] = length
                self._cells(_INGRESS, f"outages.{register}", field)[place] = value
        self._cells(_INGRESS, "outages.before", "f1")[place] = sequence

    def _measure(self, packet: Packet, port: int, stream: int, now_ns: int) -> None:
        latency = _latency_ns(packet.get("signature.timestamp_ns"), now_ns)
        control = f"external.{_INGRESS}.latency"
        for name, better in (("least", min), ("greatest", max)):
            cells, place = self._cells(_INGRESS, "latency.extremes", name), (pipe_of(port), stream)
            cells[place] = better(cells.get(place, first(f".{name}")), latency)
        self._add(_INGRESS, "latency.sum.total", port, stream, latency)
        entry = self._store.match(f"{control}.buckets", latency)
        bucket = number(entry, "number") if entry else 0xFF
        self._counted(f"{control}.histogram", "$COUNTER_SPEC_PKTS", port, stream << 8 | bucket, 1)

    def _count_flow(self, packet: Packet, port: int, stream: int) -> None:
        control = f"external.{_INGRESS}.flow_cells"
        entry = self._store.match(f"{control}.streams", stream)
        if entry and _is(entry, "from"):
            cell = (number(entry, "first") + packet.get("signature.sequence_high")) % _HALF
            self._counted(f"{control}.cells", "$COUNTER_SPEC_PKTS", port, cell, 1)
            self._counted(f"{control}.cells", "$COUNTER_SPEC_BYTES", port, cell, packet.size)

    def _sign(self, packet: Packet, port: int, now_ns: int) -> None:
        if not packet.has("signature"):
            return
        entry = self._store.match(f"external.{_EGRESS}.signature.streams", packet.template)
        if entry and _is(entry, "sign"):
            numbers = self._cells(_EGRESS, "signature.sequence", "f1")
            place = pipe_of(port), packet.template
            sequence = numbers.get(place, 0)
            packet.set("signature.id", number(entry, "id"))
            packet.set("signature.sequence", sequence)
            packet.set("signature.timestamp_ns", now_ns)
            packet.sign(number(entry, "rest"))
            numbers[place] = (sequence + 1) % _WORD

    def _restore(self, packet: Packet, port: int) -> None:
        entry = self._store.match(f"external.{_EGRESS}.restoration.links", packet.link, port)
        if entry and _is(entry, "addresses"):
            packet.octets[:6] = number(entry, "dst").to_bytes(6, "big")
            packet.octets[6:12] = number(entry, "src").to_bytes(6, "big")
        elif entry and _is(entry, "own_source"):
            packet.octets[:6] = number(entry, "dst").to_bytes(6, "big")
            packet.octets[6:12] = _own(entry, "src_high", packet.source_low)
        elif entry and _is(entry, "own_addresses"):
            packet.octets[:6] = number(entry, "dst_high").to_bytes(2, "big") + packet.peer[2:]
            packet.octets[6:12] = _own(entry, "src_high", packet.source_low)
        elif entry:
            packet.octets[:12] = packet.peer + number(entry, "src").to_bytes(6, "big")

    def _count(self, gress: str, size: int, port: int, version: int) -> None:
        self._count_both(f"external.{gress}.port_counters.totals", size, port, 2 * port + version)

    def _count_stream(self, gress: str, size: int, port: int, index: int) -> None:
        self._count_both(f"external.{gress}.stream_counters.totals", size, port, index)

    def _count_both(self, table: str, size: int, port: int, index: int) -> None:
        self._counted(table, "$COUNTER_SPEC_PKTS", port, index, 1)
        self._counted(table, "$COUNTER_SPEC_BYTES", port, index, size)

    def _sum_times(self, gress: str, port: int, slot: int, now_ns: int) -> None:
        """Adds a time to a slot's sum. Times are odd, because a base of 0 means that there was none yet."""
        time = now_ns % _WORD | 1
        base, place = self._cells(gress, "blind_delay.base", "f1"), (pipe_of(port), slot)
        base[place] = base.get(place) or time
        self._add(gress, "blind_delay.sum.total", port, slot, (time - base[place]) % _WORD)

    def _add(self, gress: str, register: str, port: int, index: int, value: int) -> None:
        low, high = (self._cells(gress, register, half) for half in ("low", "high"))
        place = pipe_of(port), index
        more, low[place] = divmod(low.get(place, 0) + value, _WORD)
        high[place] = (high.get(place, 0) + more) % _WORD

    def _counted(self, table: str, field: str, port: int, index: int, more: int) -> None:
        cells, place = self._store.cells(table, field), (pipe_of(port), index)
        cells[place] = cells.get(place, 0) + more

    def _cells(self, gress: str, register: str, field: str) -> dict[tuple[int, int], int]:
        return self._store.cells(f"external.{gress}.{register}", f"{gress}.{register}.{field}")

    def _role(self, port: int) -> int:
        entry = self._store.match("external.ExternalIngressParser.$PORT_METADATA", port)
        return number(entry, "role") if entry else 0


def _latency_ns(departed_ns: int, arrived_ns: int) -> int:
    """The latency of a frame by its times of departure and arrival (p4/controls/latency.p4)."""
    age = ((arrived_ns >> 9) - (departed_ns >> 9)) % _WORD
    return UNKNOWN_NS if age >> 23 else (arrived_ns - departed_ns) % _WORD


def query_key(packet: Packet, name: str) -> int:
    """The value of a field of a query's key: `tcp_flags`, `arp_valid`."""
    if name in _QUERY_KEYS:
        key = _QUERY_KEYS[name]
        return packet.bits(key.header, key.first, key.bits)
    return int(packet.has(name.removesuffix("_valid")))


def _own(entry: TableEntry, high: str, low: int) -> bytes:
    """An address of which the entry has the first 16 bits."""
    return number(entry, high).to_bytes(2, "big") + low.to_bytes(4, "big")


def _is(entry: TableEntry, action: str) -> bool:
    return entry.action is not None and entry.action.rpartition(".")[2] == action
