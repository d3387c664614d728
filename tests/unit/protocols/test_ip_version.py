# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One table for both IP versions."""

from dataclasses import replace
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files import paths
from TesterLibrary.files.paths import names
from TesterLibrary.planning.switch.match_action import match_action
from TesterLibrary.protocols.checker import load_protocol

# What only IPv4 or only IPv6 has, compares addresses, or is written over IPv6 already.
OF_ONE_VERSION = {
    *("arp", "icmp-echo", "igmp-host", "nat-initiator", "roce-requester", "roce-responder"),
    *("nd", "mld-host", "nat64-initiator", "http-get-ipv6", "dns-one-ipv6"),
}


def test_shipped_tables_over_ip_run_over_ipv6() -> None:
    translated = {name for name in names("protocols") if load_protocol(name, 6).layers[0].translated}
    assert translated == set(names("protocols")) - OF_ONE_VERSION
    assert str(load_protocol("http-server", 6).stack) == "Ether / IPv6 / TCP"
    assert str(load_protocol("http-server").stack) == "Ether / IP / TCP"


@pytest.mark.parametrize("name", ["http-get", "dns-one"])
def test_a_table_over_ipv6_is_what_an_author_writes(name: str) -> None:
    ours, written = load_protocol(name, 6), load_protocol(f"{name}-ipv6")
    same = replace(ours, path=written.path, name=written.name, description=written.description)
    assert replace(same, translated=False) == written


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("IP(flags=DF) / TCP(flags=SA)", "IP(flags=DF, id=7) / TCP(flags=SA)"),
        ("when: {TCP.flags: {set: S", "when: {IP.id: 0, TCP.flags: {set: S"),
        ("when: {TCP.flags: {set: S", "when: {IP.src: 1, TCP.flags: {set: S"),
    ],
)
def test_a_table_that_names_what_only_ipv4_has_stays_one_for_ipv4(old: str, new: str, tmp_path: Path) -> None:
    text = Path(paths.resource("protocols", "http-get")).read_text()
    assert old in text
    own = tmp_path / "own.yaml"
    own.write_text(text.replace(old, new, 1))
    assert load_protocol(str(own), 6) == load_protocol(str(own))


def test_a_switch_refuses_a_table_over_the_other_ip_version() -> None:
    with pytest.raises(PlanError, match=r"^http-get over IPv6: the program of a switch has .* http-get-ipv6"):
        match_action(load_protocol("http-get", 6))
