# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The P4 generated for protocols that only send the packet in hand back."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.p4.replies import replies
from TesterLibrary.planning.switch.match_action import MatchAction, match_action
from TesterLibrary.planning.switch.replies import replies_only
from TesterLibrary.protocols.checker import load_protocol

KEEPS_NOTHING = ("arp", "icmp-echo", "udp-echo", "syn-reset")


def program(name: str) -> MatchAction:
    return match_action(load_protocol(name))


def action(text: str, name: str) -> list[str]:
    return [line.strip() for line in text.partition(f"action {name}(")[2].partition("}")[0].splitlines()[1:]]


def written(
    folder: Path, reply: str, *, headers: str = "Ether / IP / UDP", when: str = "IP.src: 5"
) -> MatchAction:
    path = folder / "mine.yaml"
    path.write_text(
        "version: 1\nname: mine\ndescription: one\n"
        f"headers: {headers}\nstates: [idle]\ncounters: [n]\ntable:\n"
        f"  - {{in: idle, on: packet, when: {{{when}}}, do: [count: n, reply: {{{reply}}}]}}\n"
        "  - {in: idle, on: packet, do: [count: n]}\n"
    )
    return match_action(load_protocol(str(path)))


@pytest.mark.parametrize("name", KEEPS_NOTHING)
def test_protocols_that_only_reply_are_known(name: str) -> None:
    assert replies_only(load_protocol(name))


@pytest.mark.parametrize("name", ["http-get", "nd", "syn-flood"])
def test_others_have_templates_or_a_state(name: str) -> None:
    assert not replies_only(load_protocol(name))


def test_arp_is_answered_with_a_parameter() -> None:
    text = replies([program("arp")])
    assert "action arp_reply_0(bit<48> mac) {" in text
    assert "hdr.arp.sender_mac = mac;" in action(text, "arp_reply_0")


def test_values_are_read_before_any_is_set() -> None:
    lines = action(replies([program("udp-echo")]), "udp_echo_reply_0")
    assert lines.index("bit<16> held_udp_sport = hdr.udp.sport;") < lines.index(
        "hdr.udp.sport = held_udp_dport;"
    )
    assert "hdr.udp.dport = held_udp_sport;" in lines


def test_a_reset_is_a_segment_without_options_and_its_sum_is_of_one() -> None:
    lines = action(replies([program("syn-reset")]), "syn_reset_reply_0")
    assert {"hdr.ipv4.len = 40;", "hdr.tcp.dataofs = 5;", "hdr.tcp.flags = 20;"} <= set(lines)
    assert "hdr.tcp.ack = held_tcp_seq + 1;" in lines
    assert (
        f"l4_rest = {6 + 20 + 0x5014};" in lines
    )  # protocol and length of the pseudo header, offset and flags


def test_rows_test_what_ends_are_known_by_and_what_tables_ask() -> None:
    text = replies([program("udp-echo"), program("icmp-echo")])
    for key in ("udp_valid", "icmp_valid", "ip_dst", "udp_dport", "icmp_type"):
        assert f'@name("{key}")' in text
    assert '@name("arp_valid")' not in text


@pytest.mark.parametrize(
    ("reply", "headers", "why"),
    [
        ("set: {IP.tos: 0}", "Ether / IP / UDP", "a reply sets IP.tos; on a switch it sets Ether.dst"),
        ("set: {UDP.sport: IP.len}", "Ether / IP / UDP", "a reply needs IP.len"),
        (
            "set: {UDP.sport: UDP.dport + UDP.sport}",
            "Ether / IP / UDP",
            "a field is another one, and a constant",
        ),
        ("swap: [[IP.src, IP.dst]], keep: 0", "Ether / IP / UDP", "a reply of UDP keeps its payload"),
        (
            "swap: [[IP.src, IP.dst]], keep: 0",
            "Ether / IP / TCP",
            "sets TCP.flags and TCP.window to constants",
        ),
        ("set: {TCP.flags: 4}", "Ether / IP / TCP", "a reply sets TCP.flags; on a switch"),
        ("swap: [[IP.src, IP.dst]], keep: 0", "Ether / IP / ICMP", "a reply of ICMP keeps its payload"),
        (
            "swap: [[IP.src, IP.dst]], append: zz",
            "Ether / IP / UDP",
            "keeps its payload as it is, or none of it",
        ),
        (
            "swap: [[Ether.src, Ether.dst]]",
            "Ether / IP / SCTP",
            "of SCTPChunkData; a switch replies to ARP",
        ),
    ],
)
def test_what_egress_does_not_change_is_refused(tmp_path: Path, reply: str, headers: str, why: str) -> None:
    line = 4 if "replies to" in why else 8
    with pytest.raises(PlanError, match=rf"mine\.yaml: line {line}: .*{why}"):
        replies([written(tmp_path, reply, headers=headers)])


def test_a_row_that_tests_something_else_is_refused(tmp_path: Path) -> None:
    actions = written(tmp_path, "swap: [[IP.src, IP.dst]]", when="IP.tos: 1")
    with pytest.raises(PlanError, match=r"mine\.yaml: line 8: a row tests IP\.tos, which is no key"):
        replies([actions])
