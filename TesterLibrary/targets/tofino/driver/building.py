# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes the job of a switch from a plan: numbers that no other job has, and all entries for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....errors import PlanError
from ....model.plan.plan import Plan
from ....model.units.units import FCS_LENGTH
from ....planning.switch.allocation import LoopbackPorts, Occupied
from ....planning.switch.answers import answer_frame
from ....planning.switch.editor import ETHERNET
from ....planning.switch.expectation import most_flows
from ....planning.switch.prefix import first_server
from ....planning.switch.replies import replies_only, reply_rows
from ....planning.switch.resources import GAP_LAWS, LINKS, REPLIES, START, TEMPLATES, TRIGGERS
from ....planning.switch.signature import signed_template
from ....planning.switch.starts import PlacedStarts, opening_of, opening_rows
from ....planning.switch.streams import SwitchEnd, SwitchStream, place
from ....planning.switch.timer_scan import LOOK_VLAN
from ....planning.switch.timers import timer_of
from ....planning.switch.trigger import ReturnedFrame, TemplateFrame, switch_trigger
from ..entries.classifier import SourceNumbers, end_entries, source_entries, stream_entries
from ..entries.entry import TableEntry
from ..entries.flows import flow_entries, free_cells
from ..entries.rate import held_entry, meter_entry
from ..entries.replies import AnsweredRange, answered_ranges, bypass_rows, reply_entries
from ..entries.row_counters import counted_events, counted_rows
from ..entries.rows import kept_entries, row_entries
from ..entries.signature import signing_entries
from ..entries.template_loop import (
    answer_loop,
    copies,
    link_addresses,
    link_own_addresses,
    link_own_source,
    link_to_peer,
    stream_loop,
    versions,
)
from ..entries.triggers import TriggerQueues, asking_entry, returning_entry, waiting_entries
from ..neighbours.packets import TemplatePacket, template_packet
from ..session.ports import SwitchPorts
from ..session.program import Program
from .job import HeldNumbers, SwitchJob, occupied
from .loaded import CountedRow, LoadedEnd, LoadedStarts, LoadedStream
from .numbers import Numbers, free_range
from .single_answers import refuse_second

_GROUPS = 0x10000
_ARP = "arp"
_ROWS_OF_REPLY = 1 << 12  # priorities of a job's rows; rows of neighbours come first


def switch_job(
    plan: Plan,
    ports: SwitchPorts,
    program: Program,
    *,
    chip: LoopbackPorts | None = None,
    others: Sequence[SwitchJob] = (),
) -> SwitchJob:
    """The job of a switch for a plan.

    Args:
        ports: The switch's ports, as its chip numbers them.
        program: The program that runs in the switch.
        chip: The switch's loopback ports, if it is not a folded switch of 3.2 Tbps.
        others: Jobs that are loaded already.

    Raises:
        PlanError: something that the program cannot do, or a resource that runs out.
    """
    return _Builder(plan, ports, program, others, chip or LoopbackPorts()).job()


class _Builder:
    """Builds one job: collects entries while it gives out numbers."""

    def __init__(
        self,
        plan: Plan,
        ports: SwitchPorts,
        program: Program,
        others: Sequence[SwitchJob],
        chip: LoopbackPorts,
    ) -> None:
        self._plan, self._ports, self._program, self._others, self._chip = plan, ports, program, others, chip
        held = HeldNumbers.of_all([other.held for other in others])
        self._templates = Numbers("templates", TEMPLATES, held.templates)
        self._links = Numbers("links", LINKS, held.links)
        self._replies = Numbers("replies", REPLIES, held.replies)
        self._triggers = Numbers("triggers", TRIGGERS, held.triggers)
        self._laws = Numbers("laws of random gaps", GAP_LAWS, held.laws)
        self._queues = TriggerQueues(program, held.queues)
        self._groups = Numbers("multicast groups", _GROUPS, [0, *held.groups])
        self._group_of: dict[int, int] = {}  # by device port
        self._link_of: dict[tuple[bytes, int, frozenset[str]], int] = {}  # addresses, port, edited fields
        self._ranges = [end.flows for other in others for end in other.ends if end.flows]
        self._cells = [s.cells for other in others for s in other.streams.values() if s.cells]
        self._entries: list[TableEntry] = []
        self._answering: list[TableEntry] = []
        self._answers_by: dict[str, int] = {}  # templates, by protocol and name
        self._packets: list[TemplatePacket] = []

    def job(self) -> SwitchJob:
        """The whole job."""
        placement = place(
            self._plan,
            self._ports.known,
            self._program.own_fields,
            chip=self._chip,
            occupied=occupied(self._others),
            kind=self._program.chip,
        )
        streams = {stream.planned.id: self._stream(stream) for stream in placement.streams}
        for answered in answered_ranges(self._plan.neighbours):
            self._neighbours(answered)
        protocols = self._answers(
            [end for end in placement.ends if not (end.end.is_trigger or replies_only(end.end.protocol))]
        )
        ends = tuple(map(self._any_end, placement.ends))
        loops = [Occupied(stream.loopback, stream.flow) for stream in placement.streams]
        loops += [Occupied(one.place, one.loop.flow) for end in placement.ends for one in end.loops]
        loops += [
            Occupied(starts.loopback, starts.flow)
            for end in placement.ends
            for starts in end.events.values()
            if starts.loopback
        ]
        return SwitchJob(
            plan=self._plan,
            entries=tuple(self._entries),
            answering=tuple(self._answering),
            groups={number: (port,) for port, number in self._group_of.items()},
            packets=tuple(self._packets),
            streams=streams,
            ends=ends,
            held=HeldNumbers(
                templates=tuple(self._templates.given),
                links=tuple(self._links.given),
                groups=tuple(self._groups.given),
                replies=tuple(self._replies.given),
                triggers=tuple(self._triggers.given),
                laws=tuple(self._laws.given),
                queues=tuple(self._queues.given),
                protocols=protocols,
                loops=tuple(loops),
            ),
        )

    def _stream(self, stream: SwitchStream) -> LoadedStream:
        planned = stream.planned
        tx, rx = self._ports.of(planned.tx_port), self._ports.of(planned.rx_port)
        template = self._templates.next()
        frame = planned.frame
        if planned.signature:
            signed = signed_template(planned)
            frame = signed.octets
            self._entries += signing_entries(planned, template, signed.rest, rx)
        elif planned.matches:
            self._entries += stream_entries(planned, template, rx, template)
        edited = frozenset(edit.field for edit in stream.edits if edit.field in ETHERNET)
        link = self._link(frame[:12], tx, edited)
        self._entries += [
            held_entry(template),
            meter_entry(template, stream.staging, self._chip.meter, metered=stream.metered),
            stream_loop(template),
            copies(template, self._group(tx)),
            *versions((template,), 0),
        ]
        if stream.staging.gaps:
            self._laws.next()
        loopback = self._ports.loop(stream.loopback)
        # The first bits of a destination that changes are where an answer has those of who asked: its source.
        worn = frame[:6] + frame[:6] + frame[12:] if edited == {"Ether.dst"} else frame
        packet = template_packet(worn, template, link, loopback)
        self._packets.append(TemplatePacket(packet, stream.templates))
        cells = None
        if planned.flows:
            cells = free_cells(planned.name, planned.flows, self._cells)
            self._cells.append(cells)
            self._entries += flow_entries(template, cells)
        return LoadedStream(
            planned, template, tx, rx, stream.staging, stream.edits, stream.metered, cells, stream.begin
        )

    def _answers(self, ends: Sequence[SwitchEnd]) -> tuple[str, ...]:
        """The protocols of ends, after their templates have numbers; ends of a protocol share them."""
        protocols = {end.end.protocol.name: end.end.protocol for end in ends}
        for name, protocol in protocols.items():
            self._program.check(name)
            refuse_second(next(end.end for end in ends if end.end.protocol.name == name), self._others)
            for template in protocol.templates:
                number = self._templates.next()
                whole = f"{name}.{template.name}"
                self._answers_by[whole] = number
                self._entries.append(answer_loop(number, self._program.queues[whole]))
        return tuple(protocols)

    def _any_end(self, placed: SwitchEnd) -> LoadedEnd:
        if placed.end.is_trigger:
            return self._trigger(placed)
        return self._bypass(placed) if replies_only(placed.end.protocol) else self._end(placed)

    def _trigger(self, placed: SwitchEnd) -> LoadedEnd:
        """A trigger: what it waits for, and a template of its own unless it sends the packet itself back."""
        end, trigger = placed.end, switch_trigger(placed.end)
        port, out, number = (
            self._ports.of(end.port),
            self._ports.of(end.out_port or end.port),
            self._triggers.next(),
        )
        loaded = LoadedEnd(end, port, (), trigger=number)
        if isinstance(trigger.sends, ReturnedFrame):
            reply = self._replies.next()
            self._entries.append(returning_entry(trigger.sends, reply))
            action, data = "send_back", {"number": reply, "port": out}
        else:
            loaded = self._with_template(loaded, trigger.sends, placed, out)
            loopback = next(self._ports.loop(one.place) for one in placed.loops if one.loop.role == "ask")
            action, data = "ask", {"link": loaded.link or 0, "loopback": loopback}
        self._answering += waiting_entries(
            trigger,
            action,
            {"trigger": number, **data},
            port=port,
            vlan=end.vlan,
            priority=_ROWS_OF_REPLY * (2 * REPLIES + number),
        )
        return loaded

    def _with_template(
        self, loaded: LoadedEnd, frame: TemplateFrame, placed: SwitchEnd, out: int
    ) -> LoadedEnd:
        """A trigger with a queue, and a template that polls it and leaves by a device port."""
        end, link, template = loaded.planned, self._links.next(), self._templates.next()
        queue = self._queues.next(end.name)
        source, leaves_by = frame.source or self._ports.known[end.port].mac, end.out_port or end.port
        size, most = len(frame.frame) + FCS_LENGTH, self._ports.known[leaves_by].max_frame_size
        if size > most:
            raise PlanError(
                f"trigger {end.name!r}: its frame has {size:,} bytes, and port {leaves_by!r} takes {most:,} "
                "at most; give a shorter payload"
            )
        asking = asking_entry(frame, link, queue)
        self._entries += [
            link_to_peer(link, out, source)
            if frame.destination is None
            else link_addresses(link, out, frame.destination, source),
            answer_loop(template, queue),
            copies(template, self._group(out), link),
            asking,
        ]
        for one in placed.loops:
            if one.loop.queues:
                packet = template_packet(frame.frame, template, link, self._ports.loop(one.place))
                self._packets.append(TemplatePacket(packet, one.templates))
        rows = (CountedRow(asking, ("sent",), answers=True),)
        queues = {one.name: queue for one in end.protocol.templates}
        return replace(loaded, rows=rows, link=link, queues=queues)

    def _end(self, placed: SwitchEnd) -> LoadedEnd:
        """A responder that answers from templates, or clients."""
        end, program = placed.end, placed.program
        port = self._ports.of(end.port)
        link = self._links.next()
        mac = self._ports.known[end.port].mac
        self._entries.append(link_to_peer(link, port, mac))
        places = {one.loop.role: self._ports.loop(one.place) for one in placed.loops}
        first, write_port = places.get("read", places.get("ask", 0)), places.get("write", 0)
        events: dict[str, LoadedStarts] = {}
        woken: list[CountedRow] = []
        links = [link]
        most = most_flows(end.protocol)
        if placed.starts is None:
            flows = free_range(end.flow_capacity, self._ranges, most)
            self._answering += end_entries(end, port, link, first, flows, link)
        else:
            opening = opening_of(end)
            program = opening_rows(program, opening.reopen)
            sources = SourceNumbers(placed.starts.starts)
            flows = free_range(sources.count, self._ranges, most)
            sources = replace(sources, first=flows.first)
            self._answering += source_entries(sources, port, link, first, link, vlan=end.vlan)
            for event, packets in placed.events.items():
                vlan = end.vlan if event == START else LOOK_VLAN
                events[event], known_by = self._starts(packets, sources, first, vlan)
                self._entries.append(
                    link_addresses(known_by, port, opening.destination_mac, opening.source_mac)
                )
                woken += counted_events(program, known_by, write_port, event)
                links.append(known_by)
        self._ranges.append(flows)
        rows = (*counted_rows(program, row_entries(program, link, write_port=write_port)), *woken)
        self._entries += [row.entry for row in rows]
        self._entries += kept_entries(program, link)
        name = end.protocol.name
        server = first_server(end)
        frames = {
            one.name: answer_frame(end.protocol, one, end.vlan, server) for one in end.protocol.templates
        }
        for one in placed.loops:
            for queue in one.loop.queues:
                number = self._answers_by[f"{name}.{queue}"]
                packet = template_packet(frames[queue], number, link, self._ports.loop(one.place))
                self._packets.append(TemplatePacket(packet, one.templates))
        group = self._group(port)
        self._entries += [
            copies(self._answers_by[f"{name}.{one}"], group, one_link) for one in frames for one_link in links
        ]
        queues = {one: self._program.queues[f"{name}.{one}"] for one in frames}
        starts, looks = (events.get(event) for event in (START, timer_of(end.protocol) or ""))
        return LoadedEnd(end, port, rows, flows, link, queues, starts, looks)

    def _starts(
        self, placed: PlacedStarts, sources: SourceNumbers, loopback: int, vlan: int | None
    ) -> tuple[LoadedStarts, int]:
        """The starts of clients, or the looks at their flows, and the link by which their rows are known."""
        starts, place = placed.starts, placed.loopback
        assert place is not None
        again = self._program.chip.recirculation_port
        template, link = self._templates.next(), self._links.next()
        self._entries += [
            held_entry(template),
            meter_entry(template, placed.staging, self._chip.meter, metered=placed.metered),
            stream_loop(template),
            copies(template, self._group(again)),
        ]
        packet = template_packet(
            starts.frame, template, self._link(starts.frame[:12], again), self._ports.loop(place)
        )
        self._packets.append(TemplatePacket(packet, placed.templates))
        self._answering += source_entries(sources, again, link, loopback, link, vlan=vlan)
        return LoadedStarts(starts, template, placed.staging, placed.metered), link

    def _bypass(self, placed: SwitchEnd) -> LoadedEnd:
        """A responder without state."""
        end = placed.end
        self._program.check(end.protocol.name)
        port = self._ports.of(end.port)
        numbers = [self._replies.next() for _ in reply_rows(placed.program).replies]
        self._entries += reply_entries(placed.program, end.parameters, numbers)
        rows = list(
            bypass_rows(
                placed.program,
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
        """ARP replies for addresses of the tester, in frames without a tag and in the VLANs of ends."""
        self._program.check(_ARP)
        program = answered.program()
        number = self._replies.next()
        self._entries += reply_entries(program, answered.parameters, [number])
        port = self._ports.of(answered.port)
        vlans = dict.fromkeys([None, *(end.vlan for end in self._plan.ends if end.port == answered.port)])
        for vlan in vlans:
            rows = bypass_rows(
                program, (), port=port, vlan=vlan, numbers=[number], priority=_ROWS_OF_REPLY * number
            )
            self._entries += [row.entry for row in rows if row.replies]

    def _group(self, port: int) -> int:
        if port not in self._group_of:
            self._group_of[port] = self._groups.next()
        return self._group_of[port]

    def _link(self, addresses: bytes, port: int, edited: frozenset[str] = frozenset()) -> int:
        """The link of frames with these addresses, the destination first, that leave by a port.

        Args:
            addresses: Of the frames.
            port: The device port.
            edited: Those of them that change from frame to frame.
        """
        key = addresses, port, edited
        if key not in self._link_of:
            link = self._link_of[key] = self._links.next()
            destination, source = addresses[:6], addresses[6:]
            if not edited:
                entry = link_addresses(link, port, destination, source)
            elif edited == {"Ether.dst"}:
                entry = link_to_peer(link, port, source)
            elif edited == {"Ether.src"}:
                entry = link_own_source(link, port, destination, source)
            else:
                entry = link_own_addresses(link, port, destination, source)
            self._entries.append(entry)
        return self._link_of[key]
