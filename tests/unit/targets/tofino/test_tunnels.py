# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames in tunnels reach a device as their author wrote them, or are refused before they are sent."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import pytest
from scapy.layers.inet import UDP
from scapy.layers.l2 import Ether
from scapy.layers.vxlan import VXLAN

from TesterLibrary.errors import PlanError
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.targets.tofino.fake import Bridge

from .driver.test_target import Driven

STACK = HeaderStack.parse("Ether / IP / UDP(dport=4789) / VXLAN(vni=77, flags=8) / Ether / IP / UDP")


@dataclass
class Seen(Bridge):
    """A device that keeps what reaches it."""

    frames: list[bytes] = field(default_factory=list)

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        self.frames.append(frame)
        return super().forward(port, frame, now_ns, others)


def test_the_device_sees_the_network_identifier_that_was_asked_for() -> None:
    device = Seen()
    driven = Driven(wire=device)
    driven.target.load(driven.plan(headers=STACK, signature=False))
    assert driven.run("north", 20) == (20, 20)
    tunnels = [Ether(frame)[VXLAN] for frame in device.frames]
    assert [(tunnel.vni, tunnel[UDP].len) for tunnel in tunnels] == [(77, 128 - 4 - 50 - 34)] * 20


def test_a_signature_that_would_stand_where_the_tunnels_header_is_is_refused() -> None:
    device = Seen()
    driven = Driven(wire=device)
    with pytest.raises(PlanError, match="'north': a switch signs right behind the outermost UDP or TCP"):
        driven.target.load(driven.plan(headers=STACK))
    assert device.frames == []
