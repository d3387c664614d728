# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Members of multicast groups on every target: what a querier asks is for all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.model.endpoints import AddressRange, Endpoints
from TesterLibrary.model.membership import Membership
from TesterLibrary.model.responder import Clients, Reopen

from .rig import Rig
from .test_responder import FAR, Sessions

_QUERIER = """\
version: 1
name: querier
headers: Ether / IP / IGMP
flow:
  - [IP.src, IP.dst]
counters: [asked]
templates:
  query:
    headers: Ether / IP / IGMP(type=query, mrcode=1)
    set: {Ether.dst: "01:00:5e:00:00:01"}
states: [idle]
table:
  - {in: idle, on: start, do: [count: asked, send: query]}
  - {in: idle, on: packet}
"""


@pytest.mark.refused_by("tofino", match="not on tofino: timers: 1 needed, 0 there")
def test_each_member_of_a_port_hears_a_query(rig: Rig, tmp_path: Path) -> None:
    """Elsewhere the first end that takes a packet is the only one."""
    sessions = Sessions(rig)
    members = [
        Membership(FAR, AddressRange.parse(groups)).host() for groups in ("239.1.1.1", "239.1.2.1-239.1.2.9")
    ]
    sessions.start(*members)
    file = tmp_path / "querier.yaml"
    file.write_text(_QUERIER, encoding="utf-8")
    everyone = Endpoints(AddressRange.parse("224.0.0.1"))
    sessions.start(
        Clients(name="querier", port="p1", protocol=str(file), target=everyone, total=1, reopen=Reopen.NEVER)
    )
    for member in members:
        assert member.answers_for is not None
        count = member.answers_for.count
        found = sessions.until(member.name, lambda seen, count=count: seen.count("answered") == count)  # type: ignore[misc]
        assert (found.count("queries"), found.count("answered")) == (1, count)
