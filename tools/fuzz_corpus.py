# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes what the engine's build and its fuzzers need of each shipped protocol.

    python3 tools/fuzz_corpus.py

engine/src/compiled_tables/plans/NAME.binpb is a Responder of responder.proto: the build makes code of it.
engine/fuzz/corpus/responder/NAME has the same plan, a frame for it, and steps, in the form of
engine/fuzz/responder_fuzz.cc. engine/fuzz/corpus/query/NAME has a query and frames, in that of query_fuzz.cc,
engine/fuzz/corpus/calls/NAME calls in that of calls_fuzz.cc.
Run it again after a protocol or a message of proto/ has changed:
an old plan may be refused at once, and then a fuzzer tries nothing.
"""

from __future__ import annotations

from ipaddress import ip_address, ip_interface
from pathlib import Path

from google.protobuf.message import Message
from scapy.contrib.gtp import GTP_U_Header
from scapy.contrib.roce import AETH, BTH
from scapy.layers.dns import DNS, DNSQR
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6ND_NS, IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw

from TesterLibrary._generated.tester.v1 import capture_pb2, control_pb2, lease_pb2, plan_pb2, query_pb2
from TesterLibrary.files.paths import names
from TesterLibrary.model.endpoints import AddressRange, Endpoints, PortRange
from TesterLibrary.model.ports import Port
from TesterLibrary.model.query import LENGTH, Fact, PacketFilter, Query, QueryField, QueryKeys
from TesterLibrary.model.responder import Clients, End, Responder
from TesterLibrary.model.units.units import Bandwidth, Duration
from TesterLibrary.planning.query import plan_query
from TesterLibrary.planning.responder import plan_end
from TesterLibrary.targets.engine.convert_end import responder_message
from TesterLibrary.targets.engine.convert_query import query_message
from TesterLibrary.wire.icmpv6 import ICMPv6MLD, RouterAlert
from TesterLibrary.wire.igmp import IGMP

ENGINE = Path(__file__).resolve().parent.parent / "engine"
CORPUS = ENGINE / "fuzz" / "corpus" / "responder"
QUERIES = CORPUS.parent / "query"
CALLS = CORPUS.parent / "calls"
PLANS = ENGINE / "src" / "compiled_tables" / "plans"
OUR_MAC, PEER_MAC = bytes.fromhex("020000000001"), bytes.fromhex("020000000009")
OURS, PEER = "198.18.0.2", "198.18.0.9"
LINK = Ether(src="02:00:00:00:00:09", dst="02:00:00:00:00:01")
IPV4 = LINK / IP(src=PEER, dst=OURS)
ROCE = IPV4 / UDP(sport=49152, dport=4791)
OURS_6, PEER_6 = "2001:2::3", "2001:2::9"
IPV6 = LINK / IPv6(src=PEER_6, dst=OURS_6)
TUNNEL = bytes.fromhex("10000000005ec2e7")
SEEN, HOLD = (bytes.fromhex(f"000{kind} 0400 c6120003 00000000") for kind in (3, 2))
FRAMES: dict[str, Packet] = {
    "arp": LINK / ARP(op=1, psrc=PEER, pdst=OURS),
    "nd": LINK / IPv6(src="fe80::1", dst="ff02::1:ff00:3") / ICMPv6ND_NS(tgt="2001:2::3"),
    "igmp-host": LINK / IP(dst="224.0.0.1", ttl=1) / IGMP(type="query", mrcode=100),
    "mld-host": LINK / IPv6(src="fe80::1", dst="ff02::1") / RouterAlert() / ICMPv6MLD(type="query", mrd=900),
    "icmp-echo": IPV4 / ICMP() / Raw(b"abc"),
    "udp-echo": IPV4 / UDP(sport=9, dport=7) / Raw(b"abc"),
    "dns": IPV4 / UDP(sport=9, dport=53) / DNS(qd=DNSQR(qname="a.b")),
    "dns-one": IPV4 / UDP(sport=9, dport=53) / DNS(qd=DNSQR(qname="www.example.com")),
    "dns-one-ipv6": IPV6 / UDP(sport=9, dport=53) / DNS(qd=DNSQR(qname="www.example.com")),
    "dns-client": IPV4 / UDP(sport=53, dport=1024) / DNS(qr=1, qd=DNSQR(qname="a.b")),
    "gtpu-echo": IPV4 / UDP(sport=9, dport=2152) / GTP_U_Header(S=1, gtp_type=1, seq=3),
    "nat-initiator": IPV4 / UDP(sport=80, dport=1024) / Raw(SEEN),
    "nat64-initiator": IPV6 / UDP(sport=80, dport=1024) / Raw(SEEN),
    "nat-responder": IPV4 / UDP(sport=9, dport=80) / Raw(HOLD),
    "http-get-ipv6": IPV6 / TCP(sport=1000, dport=80, flags="S", seq=5, options=[("MSS", 300)]),
    "roce-responder": ROCE / BTH(opcode=10, dqpn=17, ackreq=1) / Raw(bytes(20)),
    "roce-requester": ROCE / BTH(opcode=17, dqpn=17) / AETH(syndrome=0x60),
    "private-tunnel": IPV4 / UDP(sport=9, dport=7000) / Raw(TUNNEL),
    "private-tunnel-client": IPV4 / UDP(sport=7000, dport=1024) / Raw(TUNNEL),
}
SYN = IPV4 / TCP(sport=1000, dport=80, flags="S", seq=5, options=[("MSS", 300), ("Timestamp", (7, 0))])
SYN_ACK = IPV4 / TCP(sport=80, dport=1024, flags="SA", seq=5, ack=1)
GROUPS = {"igmp-host": "239.1.1.1-239.1.1.3", "mld-host": "ff0e::1-ff0e::3"}
OTHER_CLIENTS = {"syn-flood", "tcp-probe", "nat-initiator", "nat64-initiator"}
OF_IPV6 = {"nd", "nat64-initiator", "http-get-ipv6", "dns-one-ipv6"}
# Tables whose form over IPv6 is made code, too: NAME-ipv6.binpb.
OVER_IPV6 = ("http-client", "http-server", "tcp-client", "tcp-server")
# Four bytes each: 2^n µs later; the frame or (1) what was sent last; which byte of it is another; and which.
STEPS = "0300ff00 05012f10 0a002f12 0c002f10 14013203 1700ff00"

SOURCES = QueryKeys.parse("IP.src")
ASKED: dict[str, Query] = {
    "answers": Query(name="a", keys=SOURCES, filter=PacketFilter.parse("TCP.flags == SA and IP.ttl > 3")),
    "bytes": Query(name="a", port="a", keys=SOURCES, value=LENGTH, interval=Duration(1000)),
    "gaps": Query(name="a", port="a", keys=QueryKeys.parse("VLAN.vlan,length"), value=QueryField(Fact.GAP)),
    "connections": Query(
        name="a", keys=QueryKeys.parse("IP.src,IP.dst,TCP.sport,TCP.dport,port"), symmetric=True
    ),
    "payload": Query(
        name="a",
        filter=PacketFilter.parse('payload == "abc"'),
        keys=QueryKeys.parse("payload[1:3]"),
        foreign=True,
    ),
}
ASKED_OF = [SYN, SYN_ACK, FRAMES["udp-echo"], FRAMES["nd"], LINK / Dot1Q(vlan=5) / IP() / TCP() / Raw(b"abc")]

# The calls of calls_fuzz.cc, as they are numbered there.
RPCS = (
    *("GetInfo", "AcquireLease", "RenewLease", "ReleaseLease", "GetLease", "Load", "Start", "Stop", "Update"),
    *("Unload", "Wait", "TakeSnapshot", "Flip", "ReadFlows", "ReadStamps", "Inject", "Resolve"),
    *("StartCapture", "StopCapture", "ForgetCapture", "StartQuery", "ReadQuery", "ForgetQuery", "ReadClock"),
)
BOB = 0x80  # who calls: alice, or with this bit bob


def written() -> dict[Path, bytes]:
    """The contents of all files, by their paths."""
    plans = {name: _plan(name, is_ipv6=name in OF_IPV6) for name in names("protocols")}
    return (
        {PLANS / f"{name}.binpb": plan for name, plan in plans.items()}
        | {PLANS / f"{name}-ipv6.binpb": _plan(name, is_ipv6=True) for name in OVER_IPV6}
        | {CORPUS / name: _blocks(name, plan) for name, plan in plans.items()}
        | {QUERIES / name: _asked(query) for name, query in ASKED.items()}
        | {CALLS / name: octets for name, octets in _calls(_asked_message(ASKED["bytes"])).items()}
    )


def _blocks(name: str, plan: bytes) -> bytes:
    frame = bytes(FRAMES.get(name, SYN_ACK if _opens(name) else SYN))
    return _behind_lengths([plan, frame]) + bytes.fromhex(STEPS) * 3


def _asked(query: Query) -> bytes:
    message = _asked_message(query).SerializeToString(deterministic=True)
    return _behind_lengths([message, *map(bytes, ASKED_OF)])


def _asked_message(query: Query) -> query_pb2.Query:
    ports = {"a": Port("a", Bandwidth(10**9), OUR_MAC, 1518, ip_interface(f"{OURS}/15"))}
    return query_message(plan_query(query, ports, ["a"]))


def _calls(query: query_pb2.Query) -> dict[str, bytes]:
    """Sequences of calls, by their names."""
    lease = lease_pb2.AcquireLeaseRequest(owner="alice", ttl_ns=10**9)
    acquired = _call("AcquireLease", lease)
    load = _call("Load", control_pb2.LoadRequest(job=_job()))
    start = _call("Start", control_pb2.StartRequest(jobs=["job"], packets_per_stream=40))
    look = _call("TakeSnapshot", control_pb2.TakeSnapshotRequest()) + _call(
        "Wait", _of(control_pb2.WaitRequest)
    )
    changed = plan_pb2.Stream()
    changed.CopyFrom(_job().streams[0])
    changed.departures.steady.tick.nanoseconds = 5000
    update = _call("Update", control_pb2.UpdateRequest(job="job", stream=changed))
    flows = _call("ReadFlows", control_pb2.ReadFlowsRequest(job="job", stream_id=1))
    stamps = _call("ReadStamps", control_pb2.ReadStampsRequest(job="job", name="s", heading=1))
    end = _call("Stop", _of(control_pb2.StopRequest)) + _call("Unload", _of(control_pb2.UnloadRequest))
    flip = _call("Flip", _of(control_pb2.FlipRequest))
    capture = capture_pb2.Capture(name="c", ports=["a", "b"], frames=16, filter="ip")
    captured = [
        _call("StartCapture", capture_pb2.StartCaptureRequest(capture=capture)),
        *(load, start, look),
        _call("StopCapture", capture_pb2.StopCaptureRequest(name="c")),
        _call("ForgetCapture", capture_pb2.ForgetCaptureRequest(name="c")),
    ]
    queried = [
        _call("StartQuery", query_pb2.StartQueryRequest(query=query)),
        *(load, start, look),
        _call("ReadQuery", query_pb2.ReadQueryRequest(name=query.name)),
        _call("ForgetQuery", query_pb2.ForgetQueryRequest(name=query.name)),
    ]
    inject = control_pb2.InjectRequest(port="a", frames=[bytes(60), bytes(range(64))])
    resolve = control_pb2.ResolveRequest(
        port="a", address=bytes([10, 0, 0, 1]), source_address=bytes([10, 0, 0, 2]), source_mac=bytes(6)
    )
    stolen = lease_pb2.AcquireLeaseRequest(owner="bob", ttl_ns=10**9, force=True)
    kept = lease_pb2.AcquireLeaseRequest(owner="alice", ttl_ns=10**9, detached=True)
    return {
        "streams": b"".join((load, start, look, update, flip, flows, stamps, end)),
        "captures": b"".join(captured),
        "queries": b"".join(queried),
        "frames": _call("Inject", inject) + _call("Resolve", resolve) + _call("GetInfo"),
        "leases": b"".join(
            (
                acquired,
                load,
                start,
                _call("RenewLease"),
                _call("AcquireLease", lease, BOB),
                _call("GetLease"),
            )
        )
        + b"".join((_call("AcquireLease", stolen, BOB), look, _call("ReleaseLease", by=BOB), load)),
        "detached": _call("AcquireLease", kept) + load + start + _call("ReleaseLease") + look + end,
    }


def _job() -> plan_pb2.Job:
    job = plan_pb2.Job(name="job")
    stream = job.streams.add(id=1, tx_port="a", rx_port="b", frames=[bytes(60)], signature=True)
    stream.departures.steady.tick.packets = 1
    stream.departures.steady.tick.nanoseconds = 10_000
    return job


def _of(kind: type[Message]) -> Message:
    """A request about the job."""
    return kind(jobs=["job"])


def _call(name: str, message: Message | None = None, by: int = 0) -> bytes:
    octets = b"" if message is None else message.SerializeToString(deterministic=True)
    return bytes([RPCS.index(name) | by]) + len(octets).to_bytes(2, "big") + octets


def _behind_lengths(blocks: list[bytes]) -> bytes:
    return b"".join(len(block).to_bytes(2, "big") + block for block in blocks)


def _opens(name: str) -> bool:
    """Whether this end opens connections."""
    return name.endswith("-client") or name in OTHER_CLIENTS


def _plan(name: str, *, is_ipv6: bool) -> bytes:
    ours, peer = (f"{OURS_6}/64", PEER_6) if is_ipv6 else (f"{OURS}/24", PEER)
    ports = {"p": Port("p", Bandwidth(10**9), OUR_MAC, 1518, ip_interface(ours))}
    macs = {("p", ip_address(peer)): PEER_MAC}
    planned = plan_end(_end(name, peer), 0, 1, ports=ports, gateways={}, neighbours=macs)
    return responder_message(planned.end).SerializeToString(deterministic=True)


def _end(name: str, peer: str) -> End:
    if not _opens(name):
        groups = AddressRange.parse(GROUPS[name]) if name in GROUPS else None
        return Responder(name=name, port="p", protocol=name, answers_for=groups)
    target = Endpoints(AddressRange(ip_address(peer)), PortRange(80))
    return Clients(name=name, port="p", protocol=name, target=target, connections=2)


if __name__ == "__main__":
    for path, octets in written().items():
        path.write_bytes(octets)
        print(f"{path.relative_to(ENGINE)}: {len(octets)} bytes")
