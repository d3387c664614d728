# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Blind streams in both directions, of which a device that reflects frames makes each other's."""

from __future__ import annotations

import pytest

from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.planning.reflection import reflections

from .bench import compiled, stream

_V4, _V6 = "Ether / IP / UDP(sport={}, dport={})", "Ether / Dot1Q(vlan=7) / IPv6 / TCP(sport={}, dport={})"


def objections(north: str, south: str, *, signature: bool = False) -> list[str]:
    streams = [
        stream(
            name="north",
            tx="p1",
            rx="p2",
            headers=HeaderStack.parse(north),
            frame_size="128",
            signature=signature,
        ),
        stream(
            name="south",
            tx="p2",
            rx="p1",
            headers=HeaderStack.parse(south),
            frame_size="128",
            signature=signature,
        ),
    ]
    return list(reflections(compiled(*streams).streams))


@pytest.mark.parametrize("headers", [_V4, _V6, "Ether / IP"])
def test_mirror_images_are_named(headers: str) -> None:
    found = objections(headers.format(1000, 2000), headers.format(2000, 1000))
    assert found == [
        "frames of north that the device sends back to p1 look like those of south; "
        "give one of the streams another UDP or TCP port, or signature=True",
        "frames of south that the device sends back to p2 look like those of north; "
        "give one of the streams another UDP or TCP port, or signature=True",
    ]


@pytest.mark.parametrize("headers", [_V4, _V6])
def test_other_ports_tell_them_apart(headers: str) -> None:
    assert not objections(headers.format(1000, 2000), headers.format(3000, 4000))


def test_a_signature_tells_them_apart() -> None:
    assert not objections(_V4.format(1000, 2000), _V4.format(2000, 1000), signature=True)
