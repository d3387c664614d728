# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes the job of a switch from a plan: numbers that nobody else has, and every entry that they need."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import PlanError
from ...model.plan import Plan
from ...planning.allocation import LoopbackPorts, Occupied
from ...planning.switch_answers import answer_frame
from ...planning.switch_replies import replies_only, reply_rows
from ...planning.switch_resources import LINKS, REPLIES, TEMPLATES
from ...planning.switch_signature import signed_template
from ...planning.switch_streams import SwitchEnd, SwitchStream, place
from .classifier import end_entries, stream_entries
from .entry import Entry
from .job import Held, SwitchJob, occupied
from .loaded import CountedRow, LoadedEnd, LoadedStream
from .looping import answer_loop, copies, link_addresses, link_to_peer, stream_loop, versions
from .numbers import Numbers, free_range
from .packets import TemplatePacket, template_packet
from .ports import SwitchPorts
from .program import Program
from .rate import held_entry, meter_entry
from .replies import AnsweredRange, answered_ranges, bypass_rows, reply_entries
from .rows import row_entries
from .signature import signing_entries

_GROUPS = 0x10000
_ARP = "arp"
_ROWS_OF_REPLY = 1 << 12  # priorities: rows of neighbours first, each job with its own


def switch_job(
    plan: Plan,
    ports: SwitchPorts,
    program: Program,
    *,
    chip: LoopbackPorts | None = None,
    others: Sequence[SwitchJob] = (),
) -> SwitchJob:
    """Of a plan.

    Args:
        plan: What is to be loaded.
        ports: The switch's, as its chip numbers them.
        program: What runs in it.
        chip: Its loopback ports, if it is not a folded switch of 3.2 Tbps.
        others: Jobs that are loaded already.

    Raises:
        PlanError: what the program cannot do, or the resource that runs out.
    """
    return _Builder(plan, ports, program, others, chip or LoopbackPorts()).job()


class _Builder:
    """Of one job: collects entries while it gives out numbers."""

    def __init__(
        self,
        plan: Plan,
        ports: SwitchPorts,
        program: Program,
        others: Sequence[SwitchJob],
        chip: LoopbackPorts,
    ) -> None:
        self._plan, self._ports, self._program, self._others, self._chip = plan, ports, program, others, chip
        held = [own.held for own in others]
        self._templates = Numbers("templates", TEMPLATES, (n for own in held for n in own.templates))
        self._links = Numbers("links", LINKS, (n for own in held for n in own.links))
        self._replies = Numbers("replies", REPLIES, (n for own in held for n in own.replies))
        self._groups = Numbers("multicast groups", _GROUPS, [0, *(n for own in held for n in own.groups)])
        self._group_of: dict[int, int] = {}  # by device port
        self._link_of: dict[tuple[bytes, int], int] = {}  # by Ethernet addresses and device port
        self._ranges = [end.flows for own in others for end in own.ends if end.flows]
        self._entries: list[Entry] = []
        self._answering: list[Entry] = []
        self._answers_by: dict[str, int] = {}  # templates, by protocol and name
        self._packets: list[TemplatePacket] = []

    def job(self) -> SwitchJob:
        """All of it."""
        placement = place(
            self._plan,
            self._ports.known,
            self._program.own_fields,
            chip=self._chip,
            occupied=occupied(self._others),
        )
        streams = {own.planned.id: self._stream(own) for own in placement.streams}
        for answered in answered_ranges(self._plan.neighbours):
            self._neighbours(answered)
        protocols = self._answers([own for own in placement.ends if not replies_only(own.end.protocol)])
        ends = tuple(
            self._bypass(own) if replies_only(own.end.protocol) else self._end(own) for own in placement.ends
        )
        loops = [Occupied(own.loopback, own.flow) for own in placement.streams]
        loops += [Occupied(one.place, one.loop.flow) for own in placement.ends for one in own.loops]
        return SwitchJob(
            plan=self._plan,
            entries=tuple(self._entries),
            answering=tuple(self._answering),
            groups={number: (port,) for port, number in self._group_of.items()},
            packets=tuple(self._packets),
            streams=streams,
            ends=ends,
            unanswered=tuple(own for own in self._plan.neighbours if own.address.version != 4),
            held=Held(
                templates=tuple(self._templates.own),
                links=tuple(self._links.own),
                groups=tuple(self._groups.own),
                replies=tuple(self._replies.own),
                protocols=protocols,
                loops=tuple(loops),
            ),
        )

    def _stream(self, own: SwitchStream) -> LoadedStream:
        planned = own.planned
        tx, rx = self._ports.of(planned.tx_port), self._ports.of(planned.rx_port)
        template = self._templates.next()
        frame = planned.frame
        if planned.signature:
            signed = signed_template(planned)
            frame = signed.octets
            self._entries += signing_entries(planned, template, signed.rest, rx)
        elif planned.matches:
            self._entries += stream_entries(planned, template, rx, template)
        link = self._link(frame[:12], tx)
        self._entries += [
            held_entry(template),
            meter_entry(template, own.staging, self._chip.meter, metered=own.metered),
            stream_loop(template),
            copies(template, self._group(tx)),
            *versions((template,), 0),
        ]
        loopback = self._ports.loop(own.loopback)
        packet = template_packet(frame, template, link, loopback)
        self._packets.append(TemplatePacket(packet, own.templates))
        return LoadedStream(planned, template, tx, rx, own.staging, own.edits, own.metered)

    def _answers(self, ends: Sequence[SwitchEnd]) -> tuple[str, ...]:
        """Templates that answer, which ends of a protocol share."""
        protocols = {own.end.protocol.name: own.end.protocol for own in ends}
        for name, protocol in protocols.items():
            self._program.check(name)
            if any(name in own.held.protocols for own in self._others):
                raise PlanError(
                    f"another job has {name} loaded, whose queues it answers; put both responders in one job"
                )
            for template in protocol.templates:
                number = self._templates.next()
                whole = f"{name}.{template.name}"
                self._answers_by[whole] = number
                self._entries.append(answer_loop(number, self._program.queues[whole]))
        return tuple(protocols)

    def _end(self, own: SwitchEnd) -> LoadedEnd:
        """One that answers from templates."""
        end, program = own.end, own.program
        port = self._ports.of(end.port)
        link = self._links.next()
        mac = self._ports.known[end.port].mac
        self._entries.append(link_to_peer(link, port, mac))
        places = {one.loop.role: self._ports.loop(one.place) for one in own.loops}
        first = places.get("read", places.get("ask", 0))
        flows = free_range(end.flow_capacity, self._ranges)
        self._ranges.append(flows)
        self._answering += end_entries(end, port, link, first, flows, link)
        rows = list(row_entries(program, link, write_port=places.get("write", 0)))
        self._entries += rows
        name = end.protocol.name
        frames = {one.name: answer_frame(end.protocol, one) for one in end.protocol.templates}
        for one in own.loops:
            for queue in one.loop.queues:
                number = self._answers_by[f"{name}.{queue}"]
                packet = template_packet(frames[queue], number, link, self._ports.loop(one.place))
                self._packets.append(TemplatePacket(packet, one.templates))
        group = self._group(port)
        self._entries += [copies(self._answers_by[f"{name}.{one}"], group, link) for one in frames]
        counted = tuple(
            CountedRow(entry, row.counts, bool(row.sends))
            for entry, row in zip(rows, program.entries, strict=True)
        )
        queues = {one: self._program.queues[f"{name}.{one}"] for one in frames}
        return LoadedEnd(end, port, counted, flows, link, queues)

    def _bypass(self, own: SwitchEnd) -> LoadedEnd:
        """One that keeps nothing."""
        end = own.end
        self._program.check(end.protocol.name)
        port = self._ports.of(end.port)
        numbers = [self._replies.next() for _ in reply_rows(own.program).replies]
        self._entries += reply_entries(own.program, end.parameters, numbers)
        rows = list(
            bypass_rows(
                own.program,
                end.accepts,
                port=port,
                vlan=end.vlan,
                numbers=numbers,
                priority=_ROWS_OF_REPLY * (REPLIES + min(numbers, default=0)),
            )
        )
        self._answering += [row.entry for row in rows]
        return LoadedEnd(end, port, tuple(CountedRow(row.entry, row.counts, row.replies) for row in rows))

    def _neighbours(self, answered: AnsweredRange) -> None:
        """ARP for addresses of the tester's, in frames without a tag."""
        self._program.check(_ARP)
        program = answered.program()
        number = self._replies.next()
        self._entries += reply_entries(program, answered.parameters, [number])
        port = self._ports.of(answered.port)
        rows = bypass_rows(
            program, (), port=port, vlan=None, numbers=[number], priority=_ROWS_OF_REPLY * number
        )
        self._entries += [row.entry for row in rows if row.replies]

    def _group(self, port: int) -> int:
        if port not in self._group_of:
            self._group_of[port] = self._groups.next()
        return self._group_of[port]

    def _link(self, addresses: bytes, port: int) -> int:
        """Of frames with these addresses, the destination first, that leave by a port."""
        if (addresses, port) not in self._link_of:
            link = self._link_of[addresses, port] = self._links.next()
            self._entries.append(link_addresses(link, port, addresses[:6], addresses[6:]))
        return self._link_of[addresses, port]
