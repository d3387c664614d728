# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans as jobs of a switch: its schema takes every entry, and they say what the plan does."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from ipaddress import ip_address

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.endpoints import AddressRange, Endpoints, PortRange
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.job import Job
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.pattern import Pattern, Stage
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.responder import Clients, Responder
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.protocols.frame import checksum
from TesterLibrary.targets.tofino.driver.building import switch_job
from TesterLibrary.targets.tofino.driver.change import JobChange
from TesterLibrary.targets.tofino.driver.job import SwitchJob
from TesterLibrary.targets.tofino.entries.entry import Masked, TableEntry
from TesterLibrary.targets.tofino.entries.latency import OTHERS
from TesterLibrary.targets.tofino.neighbours.packets import arrived, injected
from TesterLibrary.targets.tofino.reading.resets import ARRIVALS, HISTOGRAM, Extremes, Resets
from TesterLibrary.targets.tofino.session.schema import Schema

from ..jobs import FAST, KNOWN, MACS, PORTS, PROGRAM, SCHEMAS, planned, switched, written

_UNIT = "internal.InternalIngress.rate"
_CPU_HEADER = 5
SERVERS = Endpoints(AddressRange.parse("198.18.1.10-198.18.1.11"), PortRange(80))
HTTP = Responder(name="http", port="p1", protocol="http-get", servers=SERVERS)
STATELESS = [
    Responder(name="udp", port="p1", protocol="udp-echo", parameters={"port": 7}),
    Responder(name="icmp", port="p1", protocol="icmp-echo", vlan=9),
    Responder(name="syn", port="p2", protocol="syn-reset", servers=SERVERS),
    Responder(name="arp", port="p2", protocol="arp", answers_for=AddressRange.parse("198.18.8.0-198.18.8.7")),
]


def stream(name: str = "s", **changes: object) -> Stream:
    return Stream(name, "p1", "p2", **{"rate": Rate.parse("1 kpps"), **changes})  # type: ignore[arg-type]


def of(job: SwitchJob, table: str) -> list[TableEntry]:
    return [entry for entry in (*job.entries, *job.answering) if entry.table.endswith(f".{table}")]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_switch_takes_all_of_a_job_and_gives_it_back(schema: Schema) -> None:
    tagged = HeaderStack.parse("Ether / Dot1Q(vlan=7) / IP / TCP")
    streams = [
        stream("plain", editors=(Editor(FieldPath.parse("UDP.dport"), Sweep("5000", "5999")),)),
        stream("tagged", headers=tagged, signature=False),
        stream("back", frame_size=FrameSize(1518)),
    ]
    first = switched(planned(streams, [HTTP, *STATELESS]))
    second = switched(planned([stream("other")], job="other", first=4), others=[first])
    tables = written(schema, first, second)
    for job, others in ((first, [second]), (second, []), (second, [first])):
        resets = Resets.of([job], others)
        tables.write([*resets.entries, *resets.cells])
        assert all(schema[table] for table in resets.tables)
        tables.write(job.starting())
        tables.write(job.starting(1000))
        tables.write(job.flipped(1))
        tables.write(job.stopping())
    tables.remove([*first.entries, *first.answering])
    assert len(tables.entries("external.ExternalEgress.version.versions")) == 1


def test_jobs_have_numbers_of_their_own() -> None:
    first = switched(planned([stream("a"), stream("b")], [HTTP]))
    second = switched(planned([stream("c")], job="other", first=3), others=[first])
    for kind in ("templates", "links", "groups", "replies"):
        assert not {*getattr(first.held, kind)} & {*getattr(second.held, kind)}
    places = Counter(
        (entry.table, entry.place)
        for entry in (*first.entries, *first.answering, *second.entries, *second.answering)
    )
    assert max(places.values()) == 1


def test_a_template_carries_the_signature_behind_udp_and_its_checksum_is_right() -> None:
    for size in (64, 65, 128):
        job = switched(planned([stream(frame_size=FrameSize(size))]))
        (packet,) = job.packets
        kind, link, template = packet.octets[:3]
        assert (kind, template, link) == (1, job.streams[1].template, job.held.links[0])
        frame = Ether(packet.octets[_CPU_HEADER:])
        assert len(packet.octets) - _CPU_HEADER == size - 4
        (signing,), (found,) = of(job, "signature.streams"), of(job, "classifier.signatures")
        assert checksum(bytes(frame[UDP].payload)[:16]) == signing.data["rest"]
        assert found.key == {"valid": 1, "id": 1, "rest": signing.data["rest"]}
        assert found.data == {"stream": template, "port": job.streams[1].rx}
        given = frame[UDP].chksum
        del frame[UDP].chksum
        assert Ether(bytes(frame))[UDP].chksum == given


def test_streams_without_signature_are_known_by_their_headers_where_they_arrive() -> None:
    job = switched(
        planned([stream(signature=False, headers=HeaderStack.parse("Ether / IP / TCP(dport=81)"))])
    )
    (entry,) = of(job, "classifier.classes")
    assert entry.key["ingress_port"] == Masked(140, 0x1FF)
    assert entry.key["tcp_dport"] == Masked(81, 0xFFFF)
    assert entry.key["ipv4_dst"] == Masked(int(ip_address("198.18.2.2")), 0xFFFFFFFF)
    assert entry.data == {"stream": job.streams[1].template}


def test_frames_leave_with_their_addresses_by_their_port() -> None:
    job = switched(planned([stream()]))
    (link,), (copies,) = of(job, "restoration.links"), of(job, "replicator.groups")
    addresses = [int(str(link.data[name])).to_bytes(6, "big") for name in ("dst", "src")]
    assert addresses == [MACS["p2"], MACS["p1"]]
    assert link.key == {"link": job.held.links[0], "egress_port": 132}
    assert job.groups == {copies.data["group"]: (132,)}


def passed(job: SwitchJob, batch: list[TableEntry], ticks: int) -> int:
    """Packets that depart, of so many that the meter lets pass: p4/controls/rate.p4."""
    units = {}
    for unit in ("correction", "pattern", "outer_pattern"):
        stages = [e for e in (*job.entries, *batch) if e.table == f"{_UNIT}.{unit}.stages"]
        data = stages[-1].data if stages else {"stage_passes": 1, "stage_last": 0}
        units[unit] = [0, int(str(data["stage_passes"])), int(str(data["stage_last"]))]
    departed = 0
    for _ in range(ticks):
        for state in units.values():
            passes = state[0] < state[1]
            state[0] = 0 if state[0] >= state[2] else state[0] + 1
            if not passes:
                break
        else:
            departed += 1
    return departed


def test_nothing_departs_until_the_start_and_exactly_as_much_as_it_says() -> None:
    job = switched(planned([stream(shaping=Pattern((Stage(4, 6),)))]))
    assert passed(job, [], 1000) == 0
    assert passed(job, list(job.starting(37)), 1000) == 37
    free = passed(job, list(job.starting()), 1000)
    assert free > 300
    assert passed(job, [*job.starting(37), *job.starting()], 1000) == free
    assert passed(job, [*job.starting(), *job.stopping()], 1000) == 0


def test_a_pattern_of_two_stages_leaves_no_unit_to_count_with() -> None:
    job = switched(planned([stream(shaping=Pattern((Stage(4, 6), Stage(1, 1))))]))
    assert list(job.starting())
    with pytest.raises(
        PlanError, match="a switch counts frames with the unit that its pattern of 2 stages needs"
    ):
        list(job.starting(5))


def met(job: SwitchJob, table: str, **packet: int) -> TableEntry | None:
    """The entry that a packet meets first."""
    fitting = [
        entry
        for entry in of(job, table)
        if all(
            packet.get(name, 0) & value.mask == value.value
            for name, value in entry.key.items()
            if isinstance(value, Masked)
        )
    ]
    return min(fitting, key=lambda entry: int(str(entry.key["$MATCH_PRIORITY"])), default=None)


def test_responders_that_keep_nothing_reply_where_their_rows_say() -> None:
    job = switched(planned([], STATELESS))
    rows = "reply_rows.rows"
    asked = int(ip_address("198.18.8.3"))
    arp = {"arp_valid": 1, "arp_hwtype": 1, "arp_ptype": 2048, "arp_hwlen": 6, "arp_plen": 4, "arp_op": 1}
    entry = met(job, rows, ingress_port=140, arp_pdst=asked, **arp)
    assert entry is not None
    assert entry.action == "ExternalIngress.reply_rows.reply"
    (reply,) = [
        number for number in of(job, "replies.numbers") if number.key["number"] == entry.data["number"]
    ]
    assert reply.action == "ExternalEgress.replies.arp_reply_0"
    assert reply.data == {"mac": int.from_bytes(MACS["p2"], "big")}
    assert met(job, rows, ingress_port=140, arp_pdst=asked + 100, **arp) is None
    assert met(job, rows, ingress_port=140, arp_pdst=asked, **{**arp, "arp_op": 2}) is None
    mine = {"udp_valid": 1, "ip_dst": int(ip_address("198.18.1.2"))}
    echo = met(job, rows, ingress_port=132, udp_dport=7, **mine)
    assert echo is not None
    assert echo.action == "ExternalIngress.reply_rows.reply"
    assert met(job, rows, ingress_port=140, udp_dport=7, **mine) is None
    ping = {"icmp_valid": 1, "icmp_type": 8, "ip_dst": int(ip_address("198.18.1.2"))}
    assert met(job, rows, ingress_port=132, **ping) is None
    assert met(job, rows, ingress_port=132, vlan_valid=1, vlan=9, **ping) is not None
    syn = {"tcp_valid": 1, "tcp_dport": 80, "ip_dst": int(ip_address("198.18.1.11"))}
    for flags, action in ((2, "reply"), (18, "silent")):
        found = met(job, rows, ingress_port=140, tcp_flags=flags, **syn)
        assert found is not None
        assert found.action == f"ExternalIngress.reply_rows.{action}"


def test_the_tester_answers_arp_for_its_own_addresses() -> None:
    job = switched(planned([stream()]))
    arp = {"arp_valid": 1, "arp_hwtype": 1, "arp_ptype": 2048, "arp_hwlen": 6, "arp_plen": 4, "arp_op": 1}
    entry = met(job, "reply_rows.rows", ingress_port=140, arp_pdst=int(ip_address("198.18.2.2")), **arp)
    assert entry is not None
    assert entry.action == "ExternalIngress.reply_rows.reply"
    assert (
        met(job, "reply_rows.rows", ingress_port=140, arp_pdst=int(ip_address("198.18.2.3")), **arp) is None
    )


def test_the_tester_answers_arp_in_the_vlans_of_its_responders() -> None:
    job = switched(planned([], [replace(HTTP, vlan=7)]))
    arp = {"arp_valid": 1, "arp_hwtype": 1, "arp_ptype": 2048, "arp_hwlen": 6, "arp_plen": 4, "arp_op": 1}
    asked = {"ingress_port": 132, "arp_pdst": int(ip_address("198.18.1.10")), **arp}
    assert met(job, "reply_rows.rows", **asked) is not None
    assert met(job, "reply_rows.rows", vlan_valid=1, vlan=7, **asked) is not None
    assert met(job, "reply_rows.rows", vlan_valid=1, vlan=8, **asked) is None
    assert met(job, "reply_rows.rows", vlan_valid=1, vlan=7, **{**asked, "ingress_port": 140}) is None


def test_answers_of_a_vlan_have_its_tag_and_others_ask_for_none() -> None:
    job = switch_job(planned([], [replace(HTTP, vlan=7, parameters={"segments": 2})]), FAST, PROGRAM)
    plain = switch_job(planned([], [replace(HTTP, parameters={"segments": 2})]), FAST, PROGRAM)
    assert len(job.packets) == len(plain.packets)
    for tagged, untagged in zip(job.packets, plain.packets, strict=True):
        frame, without = (one.octets[_CPU_HEADER:] for one in (tagged, untagged))
        padding = b"" if len(frame) > 60 else bytes(4)
        assert frame[12:16] == bytes.fromhex("81000007")
        assert frame[:12] + frame[16:] + padding == without
    asked = {"ipv4_valid": 1, "tcp_valid": 1, "ipv4_dst": int(ip_address("198.18.1.10")), "tcp_dport": 80}
    classes = {"ingress_port": 132, **asked}
    assert met(job, "classifier.classes", vlan_valid=1, vlan=7, **classes) is not None
    assert met(job, "classifier.classes", vlan_valid=1, vlan=6, **classes) is None
    assert met(job, "classifier.classes", **classes) is None


def test_flows_of_a_server_have_numbers_by_arithmetic_in_their_own_range() -> None:
    small = Responder(name="small", port="p2", protocol="http-get", servers=SERVERS, flows=1 << 14)
    job = switched(planned([], [HTTP, small]))
    seen: dict[str, set[int]] = {"http": set(), "small": set()}
    for end, port in (("http", 132), ("small", 140)):
        for host in range(5):
            for sport in (1024, 1025, 65535):
                entry = met(
                    job,
                    "classifier.classes",
                    ingress_port=port,
                    ipv4_valid=1,
                    tcp_valid=1,
                    ipv4_src=0x0A000000 + host,
                    ipv4_dst=int(ip_address("198.18.1.10")),
                    tcp_dport=80,
                )
                assert entry is not None
                bits = int(str(entry.data["ports"]))
                seen[end].add(int(str(entry.data["host"])) << bits | sport & (1 << bits) - 1)
    for loaded in job.ends:
        assert loaded.flows is not None
        numbers = seen[loaded.planned.name]
        assert all(
            loaded.flows.first <= number < loaded.flows.first + (1 << loaded.flows.bits) for number in numbers
        )
    assert len(seen["small"]) == 4 * 3  # hosts are told apart by two bits, ports by twelve
    assert not seen["http"] & seen["small"]


def test_answers_are_whole_frames_and_poll_the_queues_that_the_program_was_built_with() -> None:
    job = switch_job(planned([], [HTTP]), FAST, PROGRAM)
    loops = {entry.key["template"]: entry.data["own"] for entry in of(job, "template_loop.templates")}
    contents = {packet.octets[2]: Ether(packet.octets[_CPU_HEADER:]) for packet in job.packets}
    more = {number for number, queue in loops.items() if queue == PROGRAM.queues["http-get.more"]}
    assert set(contents) == set(loops) - more, "a body of one segment has no more of them"
    by_queue = {loops[number]: frame for number, frame in contents.items()}
    assert bytes(by_queue[1][TCP].payload).startswith(b"HTTP/1.1 200 OK")
    assert by_queue[0][TCP].flags == "SA"
    for frame in contents.values():
        given = frame[IP].chksum, frame[TCP].chksum
        del frame[IP].chksum, frame[TCP].chksum
        again = Ether(bytes(frame))
        assert (again[IP].chksum, again[TCP].chksum) == given
    (link,) = of(job, "restoration.links")
    assert link.action == "ExternalEgress.restoration.to_peer"
    assert {entry.key["link"] for entry in of(job, "replicator.groups")} == {Masked(job.held.links[0], 0xFF)}
    writes = {entry.data["write_port"] for entry in of(job, "efsm.rows")}
    reads = {entry.data["loopback"] for entry in of(job, "classifier.classes")}
    assert len(writes) == len(reads) == 1
    assert writes != reads


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (
            planned([stream(headers=HeaderStack.parse("Ether / IP / ICMP"), frame_size=FrameSize(128))]),
            "a switch signs behind UDP",
        ),
        (
            planned([stream(frame_size=parse_frame_sizes("imix"), signature=False)]),
            "3 different frames without a signature; a switch could",
        ),
        (
            planned(
                [],
                [
                    Responder(name=f"v{n}", port="p1", protocol="http-get", vlan=n, servers=SERVERS)
                    for n in (4, 5)
                ],
            ),
            r"'v5': http-get answers frames of VLAN 5, and frames of VLAN 4 for 'v4'; .* the same vlan=",
        ),
        (
            planned([], [Responder(name="r", port="p1", protocol="gtpu-echo")]),
            "template response sets GTPU.seq to GTPU.seq; on a switch the first 16 bits behind UDP",
        ),
        (
            planned([stream(headers=HeaderStack.parse("Ether / IP / UDP(chksum=0)"))]),
            "UDP without a checksum",
        ),
    ],
)
def test_what_the_program_cannot_do_is_refused(plan: Plan, why: str) -> None:
    with pytest.raises(PlanError, match=why):
        switched(plan)


def test_a_protocol_that_the_program_was_built_without_is_refused_by_name() -> None:
    without = replace(PROGRAM, protocols=("arp",))
    with pytest.raises(PlanError, match="was built without http-get; it has arp"):
        switch_job(planned([], [HTTP]), PORTS, without)


def test_two_jobs_do_not_answer_the_same_queues() -> None:
    """Both are named, and what to do."""
    first = switched(planned([], [replace(HTTP, name="web")], job="web"))
    with pytest.raises(PlanError) as refused:
        switched(planned([], [HTTP], job="http"), others=[first])
    assert str(refused.value) == (
        "responder 'http': http-get is answered by responder 'web' already, and a protocol has "
        "one job at a time in a switch; start one responder with a range of servers, such as "
        "servers=192.0.2.1-192.0.2.2:80, or stop 'web' first"
    )


def test_two_jobs_do_not_have_clients_of_the_same_queues() -> None:
    users = Clients(
        name="users",
        port="p1",
        protocol="http-get-client",
        target=SERVERS,
        connections=2,
        rate=Frequency.parse("10/s"),
    )
    mac = bytes.fromhex("020000000001")
    neighbours = {("p1", ip_address(address)): mac for address in ("198.18.1.10", "198.18.1.11")}
    first, second = (
        compile_job(
            Job(job, ends=(replace(users, name=name),)),
            ports=KNOWN,
            gateways={},
            max_streams=100,
            neighbours=neighbours,
        )
        for job, name in (("first", "users"), ("second", "others"))
    )
    with pytest.raises(PlanError) as refused:
        switched(second, others=[switched(first)])
    assert str(refused.value) == (
        "clients 'others': http-get-client is run by clients 'users' of job 'first' already, and a protocol "
        "has one job at a time in a switch; start one set of clients with a range of sources, such as "
        "sources=192.0.2.1-192.0.2.2:1024-65535, or stop 'users' first"
    )


def test_packets_to_and_from_the_driver_say_their_port() -> None:
    assert injected(bytes(60), 0x141)[:5] == bytes((0, 0, 0, 1, 0x41))
    assert arrived(injected(bytes(60), 0x141)) == (0x141, bytes(60))


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_stream_that_changes_leaves_the_others_alone(schema: Schema) -> None:
    a, b = stream("a", together=True), stream("b", frame_size=FrameSize(128), together=True)
    old = switched(planned([a, b], [HTTP]))
    other = switched(planned([a, replace(b, frame_size=FrameSize(512))], [HTTP]))
    faster = switched(planned([a, replace(b, rate=Rate.parse("2 kpps"))], [HTTP]))
    assert JobChange.between(old, old) == JobChange((), (), ())
    for new in (other, faster):
        change = JobChange.between(old, new)
        tables = written(schema, old)
        tables.remove(change.removed)
        tables.write(change.written)
        tables.write(replace(new, streams={2: new.streams[2]}).starting())
        for table in {entry.table for entry in new.entries}:
            if not table.endswith("correction.stages"):
                ours = {entry.place for entry in new.entries if entry.table == table}
                assert {entry.place for entry in tables.entries(table)} - {
                    entry.place for entry in new.starting() if entry.table == table
                } <= ours
        touched = {entry.key.get("template", entry.key.get("$METER_INDEX")) for entry in change.written}
        assert touched == {old.streams[2].template}
    assert [packet.template for packet in JobChange.between(old, other).packets] == [old.streams[2].template]
    assert JobChange.between(old, faster).packets == ()


def test_a_stream_at_line_rate_is_not_limited_by_the_meter() -> None:
    """Between its last rate below the line and the line the meter has none; that one would be taken."""
    fast = switch_job(planned([stream(rate=Rate.parse("100 %"))], ports=FAST.known), FAST, PROGRAM)
    slow = switch_job(planned([stream(rate=Rate.parse("10 %"))], ports=FAST.known), FAST, PROGRAM)
    for job, limited in ((fast, False), (slow, True)):
        (meter,) = of(job, "rate.meter")
        rate = job.streams[1].staging.meter_rate
        assert job.streams[1].metered == limited
        assert (int(str(meter.data["$METER_SPEC_CIR_PPS"])) < rate * 1.01) == limited


def test_tables_of_many_cells_are_cleared_as_a_whole_unless_others_use_them() -> None:
    first = switched(planned([stream(str(number)) for number in range(17)], [HTTP]))
    second = switched(planned([stream("other")], job="other", first=18), others=[first])
    alone = Resets.of([first])
    assert [table.rpartition(".")[2] for table in alone.tables] == ["histogram", "cells", "states"]
    assert alone.cells == ()
    beside = Resets.of([first], [second])
    assert beside.tables == alone.tables[2:]
    assert Counter(entry.table for entry in beside.cells) == {HISTOGRAM: 17 * 244, ARRIVALS: 17 * 256}
    bare = Resets.of([switched(planned([stream(signature=False)]))])
    assert (bare.tables, bare.cells) == ((), ())


def test_few_cells_are_written_and_none_where_no_frame_has_come() -> None:
    job = switched(planned([stream("a"), stream("b")]))
    a, b = (one.template for one in job.streams.values())
    resets = Resets.of([job], known={a: Extremes(2000, 2100), b: Extremes((1 << 32) - 1, 0)})
    assert resets.tables == ()
    places = {entry.table: [] for entry in resets.cells}
    for entry in resets.cells:
        places[entry.table].append(next(iter(entry.key.values())))
    assert places == {
        HISTOGRAM: [a << 8 | number for number in (26, 27, OTHERS)],
        ARRIVALS: [*range(a << 8, a + 1 << 8)],
    }


def test_what_lets_frames_depart_is_written_last() -> None:
    batch = list(switched(planned([stream("a"), stream("b")])).starting(5))
    assert [entry.table for entry in batch[-2:]] == [f"{_UNIT}.correction.stages"] * 2
    assert not any(entry.table == f"{_UNIT}.correction.stages" for entry in batch[:-2])


def test_frames_of_the_driver_are_as_long_as_frames_have_to_be() -> None:
    assert [len(injected(bytes(length), 3)) - 5 for length in (14, 60, 61)] == [60, 60, 61]
