# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of docs/tofino.md with the responders and clients that a switch runs is what its planner says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.endpoints import AddressRange, Endpoints
from TesterLibrary.model.job import Job, JobFile
from TesterLibrary.model.responder import Clients, End, Responder
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.p4.build import generate
from TesterLibrary.planning.switch.chip import TOFINO_2, Chip
from TesterLibrary.planning.switch.plan import switch_plan

from .test_one_planner import PORTS
from .test_stream_table import CHIPS, table

TARGET = Endpoints.parse("198.18.2.10:80")


def answering(protocol: str, **given: Any) -> Responder:
    return Responder(name=f"{protocol}{given.get('vlan', '')}", port="p1", protocol=protocol, **given)


def opening(protocol: str, **given: Any) -> Clients:
    rate = Frequency.parse("1000/s")
    return Clients(name=protocol, port="p1", protocol=protocol, target=TARGET, rate=rate, **given)


ARP = AddressRange.parse("198.18.1.10-198.18.1.19")
IPV6 = "TCP and UDP servers over IPv6 (`http-get-ipv6`, `dns-one-ipv6`)"
FLOOD = "`syn-flood` from several addresses with several ports each"
ROWS: dict[str, tuple[list[End], str]] = {  # by what the table says; why it is refused
    "TCP servers over IPv4 (`http-get`)": ([answering("http-get")], ""),
    "`http-get` in a VLAN": ([answering("http-get", vlan=7)], ""),
    "one protocol in two VLANs, or with and without a tag": (
        [answering("http-get", vlan=7), answering("http-get", vlan=8)],
        "http-get answers frames of VLAN 8, and frames of VLAN 7",
    ),
    "reflected packets (`arp`, `icmp-echo`, `udp-echo`, `syn-reset`)": (
        [answering("arp", answers_for=ARP), *map(answering, ("icmp-echo", "udp-echo", "syn-reset"))],
        "",
    ),
    "reflected packets, each responder in its own VLAN": (
        [
            answering("arp", answers_for=ARP, vlan=6),
            *(answering(name, vlan=n) for n in (7, 8) for name in ("icmp-echo", "udp-echo", "syn-reset")),
        ],
        "",
    ),
    "TCP clients over IPv4 (`http-get-client`, `syn-flood`), with or without a tag": (
        [opening("http-get-client"), opening("syn-flood", vlan=7)],
        "",
    ),
    FLOOD: (
        [opening("syn-flood", sources=Endpoints.parse("198.18.0.64-198.18.0.67:5000-5999"))],
        "fields that change from start to start: 3 needed, 2 there (IP.dst, TCP.dport, TCP.seq",
    ),
    "UDP answers over IPv4 without state (`dns-one`), also in a VLAN": (
        [answering("dns-one", vlan=7)],
        "",
    ),
    IPV6: (
        [
            answering(name, servers=Endpoints.parse("2001:db8::10-2001:db8::13"))
            for name in ("http-get-ipv6", "dns-one-ipv6")
        ],
        "template syn_ack: Ether / IPv6 / TCP for Ether / IPv6 / TCP; a switch answers with Ether / IP / TCP "
        "to the same, and with Ether / IP / UDP to Ether / IP / UDP: its queues carry addresses of 32 bits; "
        "use a Tofino 2",
    ),
}
BUILT = {  # rows of tables that no program of a switch can have, and why
    "answers that need more than 16 bytes of the question (`dns`)": (
        "dns",
        "bytes of payload: 260 needed, 16 there, 244 too many",
    ),
    "UDP answers that repeat a field behind the first 16 bits (`gtpu-echo`)": (
        "gtpu-echo",
        "template response sets GTPU.seq to GTPU.seq; on a switch the first 16 bits behind UDP can be those",
    ),
    "UDP flows with states and timers (`private-tunnel`)": (
        "private-tunnel",
        "timers: 1 needed, 0 there, 1 too many",
    ),
    "UDP clients that read more than 16 bytes (`dns-client`)": (
        "dns-client",
        "bytes of payload: 21 needed, 16 there, 5 too many",
    ),
    "answers behind other headers (`nd`)": (
        "nd",
        "template advertisement: Ether / IPv6 / ICMPv6ND_NA / ICMPv6NDOptDstLLAddr for Ether / IPv6 / "
        "ICMPv6ND_NS; a switch answers with Ether / IP / TCP to the same",
    ),
}
OTHERWISE = {(FLOOD, TOFINO_2): "", (IPV6, TOFINO_2): ""}  # why another chip refuses a row


def test_the_table_has_these_rows() -> None:
    assert list(table("a responder, or clients")) == [*ROWS, *BUILT]


@pytest.mark.parametrize("chip", CHIPS, ids=lambda chip: chip.family)
@pytest.mark.parametrize("row", ROWS)
def test_a_switch_runs_what_the_table_says(row: str, chip: Chip) -> None:
    ends, why = ROWS[row]
    why, says = OTHERWISE.get((row, chip), why), table("a responder, or clients")[row][CHIPS.index(chip)]
    file = JobFile(Path("job.yaml"), Job("job", ends=tuple(ends)), PORTS, {})
    if not why:
        assert says.startswith("yes")
        switch_plan(file, chip)
        return
    assert says.startswith("no")
    with pytest.raises(PlanError) as refused:
        switch_plan(file, chip)
    assert why in str(refused.value)


@pytest.mark.parametrize("row", BUILT)
def test_a_program_is_not_built_for_what_the_table_says(row: str) -> None:
    protocol, why = BUILT[row]
    assert table("a responder, or clients")[row][0].startswith("no")
    with pytest.raises(PlanError) as refused:
        generate([protocol])
    assert why in str(refused.value)
