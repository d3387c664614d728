# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The worked example of docs/protocols.md: a protocol of one's own in one file, without code."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP
from scapy.packet import Packet, Raw

from TesterLibrary.files import paths

from .dialogue import LINK, OURS, PEER, Dialogue

pytestmark = pytest.mark.usefixtures("machine")

HELLO, WELCOME, DATA, ALIVE, BYE, REFUSED = range(1, 7)
KEY = 0x5EC2E7


@pytest.fixture
def server(tmp_path: Path) -> Dialogue:
    """The protocol loads from a copy in another folder: its one file is enough."""
    copy = shutil.copy(paths.resource("protocols", "private-tunnel"), tmp_path / "mine.yaml")
    return Dialogue(str(copy))


def tunnel(kind: int, session: int, sequence: int = 0, data: bytes = b"", version: int = 1) -> Packet:
    header = struct.pack("!BBHI", version << 4 | kind, 0, sequence, session)
    return LINK / IP(src=PEER, dst=OURS) / UDP(sport=9, dport=7000) / Raw(header + data)


def read(packets: list[Packet]) -> list[tuple[int, int, int, bytes]]:
    """Kind, session, sequence and data of each."""
    found = []
    for packet in packets:
        assert (packet[IP].dst, packet[UDP].sport, packet[UDP].dport) == (PEER, 7000, 9)
        octets = bytes(packet[UDP].payload)
        first, _, sequence, session = struct.unpack("!BBHI", octets[:8])
        found.append((first & 15, session, sequence, octets[8:]))
    return found


def opened(server: Dialogue) -> int:
    ((kind, session, _, _),) = read(server.hears(tunnel(HELLO, KEY)))
    assert kind == WELCOME
    return session


def test_a_session_echoes_until_the_client_says_goodbye(server: Dialogue) -> None:
    session = opened(server)
    assert opened(server) == session
    for sequence in range(3):
        data = b"x" * sequence
        assert read(server.hears(tunnel(DATA, session, sequence, data))) == [(DATA, session, sequence, data)]
    assert read(server.hears(tunnel(BYE, session)))[0][:2] == (BYE, session)
    assert read(server.hears(tunnel(DATA, session, 3)))[0][0] == REFUSED
    assert server.interpreter.flows == {}


def test_a_wrong_key_or_version_is_refused(server: Dialogue) -> None:
    for packet in (tunnel(HELLO, KEY + 1), tunnel(HELLO, KEY, version=2)):
        assert read(server.hears(packet))[0][0] == REFUSED
    assert server.count("refused") == 2


def test_losses_are_counted_and_what_is_late_or_of_another_session_is_not_echoed(server: Dialogue) -> None:
    session = opened(server)
    server.hears(tunnel(DATA, session, 0))
    assert read(server.hears(tunnel(DATA, session, 5)))[0][2] == 5
    assert server.hears(tunnel(DATA, session, 3)) == []
    assert server.hears(tunnel(DATA, session ^ 1, 6)) == []
    counted = {name: server.count(name) for name in ("echoed", "lost", "late", "unknown")}
    assert counted == {"echoed": 2, "lost": 4, "late": 1, "unknown": 1}


def test_silence_ends_a_session_and_a_sign_of_life_prolongs_it(server: Dialogue) -> None:
    session = opened(server)
    assert server.waits(2900) == server.hears(tunnel(ALIVE, session)) == server.waits(2900) == []
    assert read(server.waits(200))[0][:2] == (BYE, session)
    assert server.count("silent") == 1
