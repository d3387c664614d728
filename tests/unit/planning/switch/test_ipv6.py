# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Servers of IPv6: a Tofino 2 answers for those of one prefix, a Tofino for none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from scapy.layers.inet import TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.files.paths import resource
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.job import Job, JobFile
from TesterLibrary.model.responder import End, Responder
from TesterLibrary.p4.build import generate
from TesterLibrary.planning.switch.answers import answer_frame
from TesterLibrary.planning.switch.chip import TOFINO, TOFINO_2, Chip
from TesterLibrary.planning.switch.plan import SwitchPlan, switch_plan
from TesterLibrary.planning.switch.streams import place
from TesterLibrary.protocols.checker import load_protocol

from .test_starts import PORTS, plan

_TABLES = ("http-get-ipv6", "dns-one-ipv6")
_SERVER = 0x20010DB8_00010002_00030004_00000010


def _servers(name: str, servers: str, protocol: str = "http-get-ipv6") -> Responder:
    return Responder(name=name, port="p1", protocol=protocol, servers=Endpoints.parse(servers))


def _planned(ends: Sequence[End], chip: Chip = TOFINO_2) -> SwitchPlan:
    return switch_plan(JobFile(Path("job.yaml"), Job("job", ends=tuple(ends)), PORTS, {}), chip)


@pytest.mark.parametrize("name", _TABLES)
def test_a_table_of_ipv6_is_that_of_ipv4_but_for_headers(name: str) -> None:
    here, there = (
        resource("protocols", one).read_text(encoding="utf-8").partition("\nheaders: ")[2]
        for one in (name, name.removesuffix("-ipv6"))
    )
    for old, new in (("Ether / IP", "Ether / IPv6"), ("(flags=DF)", ""), ("IP.src", "IPv6.src")):
        there = there.replace(old, new)
    assert here == there.replace("IP.dst", "IPv6.dst")


@pytest.mark.parametrize("name", _TABLES)
def test_a_template_comes_from_a_server_with_right_lengths_and_checksums(name: str) -> None:
    protocol = load_protocol(name)
    for template in protocol.templates:
        frame = Ether(answer_frame(protocol, template, None, _SERVER))
        assert frame[IPv6].src == "2001:db8:1:2:3:4:0:10"
        assert frame[IPv6].plen == len(frame) - 54
        transport = TCP if TCP in frame else UDP
        given = frame[transport].chksum
        del frame[transport].chksum
        assert Ether(bytes(frame))[transport].chksum == given


@pytest.mark.parametrize("name", _TABLES)
def test_a_tofino_refuses_by_the_line_and_says_what_to_use(name: str) -> None:
    asked = (_servers("web", "2001:db8::10", name),)
    assert _planned(asked).ends
    with pytest.raises(
        PlanError, match=r"yaml: line \d+: template .* use a Tofino 2, whose queues carry IPv6"
    ):
        _planned(asked, TOFINO)


def test_a_program_takes_lengths_of_ipv6_if_a_table_has_them() -> None:
    assert "hdr.ipv6.plen" in generate(["http-get-ipv6"], chip=TOFINO_2)["efsm.p4"]
    assert generate(["http-get"], chip=TOFINO_2) == generate(["http-get"])
    with pytest.raises(PlanError, match="use a Tofino 2"):
        generate(["http-get-ipv6"])


def test_queues_and_classes_have_ipv6_if_a_table_has_it() -> None:
    with_it, without = (
        generate(names, chip=TOFINO_2)["ipv6_answers.p4"] for names in (["http-get-ipv6"], ["http-get"])
    )
    assert re.findall(r"ipv6_\w+(?=\")", with_it) == [
        "ipv6_valid",
        "ipv6_src_low",
        "ipv6_dst_high",
        "ipv6_dst_low",
    ]
    assert re.findall(r"ipv6_\w+(?=\")", without) == []
    assert "#define QUEUED_IPV6 QueuedIpv6" in with_it
    assert "#define QUEUED_IPV6 NoQueuedIpv6" in without
    macros = [re.findall(r"#define (\w+)", text) for text in (with_it, without)]
    assert macros[0] == macros[1]


def test_no_switch_answers_behind_other_headers_than_tcp_and_udp() -> None:
    with pytest.raises(PlanError, match="both with IPv6 in place of IP: its queues carry nothing behind"):
        generate(["nd"], chip=TOFINO_2)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2001:db8::fffe-2001:db8::1:2", None),
        ("2001:db8::10", "2001:db8::ffff:ffff"),
        ("2001:db8::10", "198.18.0.10"),
    ],
    ids=["range", "two ranges", "of IPv4"],
)
def test_servers_of_one_prefix_are_answered_for(first: str, second: str | None) -> None:
    ends = [_servers("web", first)]
    if second:
        ends.append(_servers("more", second, "http-get-ipv6" if ":" in second else "http-get"))
    assert len(_planned(ends).ends) == len(ends)


def test_tables_have_templates_and_so_prefixes_of_their_own() -> None:
    names = _servers("names", "2001:db8:2::10", "dns-one-ipv6")
    assert len(_planned([_servers("web", "2001:db8::10"), names]).ends) == 2


@pytest.mark.parametrize(
    ("servers", "said"),
    [
        (
            ["2001:db8::ffff:fffe-2001:db8::1:0:2"],
            "'web0': http-get-ipv6 answers for 2001:db8::1:0:2, and for",
        ),
        (["2001:db8::10", "2001:db8::1:0:10"], "'web1': http-get-ipv6 answers for 2001:db8::1:0:10, and for"),
    ],
    ids=["range", "two ranges"],
)
def test_servers_of_several_prefixes_are_refused(servers: list[str], said: str) -> None:
    ends = [_servers(f"web{number}", one) for number, one in enumerate(servers)]
    with pytest.raises(PlanError, match=f"{said}.*give servers= of one prefix of 96 bits"):
        _planned(ends)


def test_clients_of_ipv6_are_refused_by_name(tmp_path: Path) -> None:
    text = resource("protocols", "syn-flood").read_text(encoding="utf-8")
    for old, new in (
        ("Ether / IP(flags=DF)", "Ether / IPv6"),
        ("Ether / IP ", "Ether / IPv6 "),
        ("IP.", "IPv6."),
    ):
        text = text.replace(old, new)
    path = tmp_path / "flood.yaml"
    path.write_text(text, encoding="utf-8")
    target, sources = (Endpoints.parse(f"[2001:db8::{last}]:80") for last in (10, 2))
    given = plan(protocol=str(path), target=target, sources=sources, connections=1)
    with pytest.raises(
        PlanError, match=r"'users': its flows are known by IPv6\.src.*on a switch clients open"
    ):
        place(given, PORTS, {}, kind=TOFINO_2)
