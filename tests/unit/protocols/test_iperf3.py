# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json

import pytest

from .dialogue import Dialogue, TcpPeer, flags

pytestmark = pytest.mark.usefixtures("machine")

COOKIE = b"abcdefghijklmnopqrstuvwxyz2345670123\0"
PARAMETERS = b'{"tcp":true,"omit":0,"num":1000,"parallel":1}'
RESULTS = b'{"cpu_util_total":1.5,"streams":[{"id":1,"bytes":1000}]}'


def with_length(text: bytes) -> bytes:
    return len(text).to_bytes(4, "big") + text


def opened(dialogue: Dialogue, sport: int) -> TcpPeer:
    connection = TcpPeer(dialogue, sport=sport, dport=5201).connects()
    connection.sends(COOKIE)
    return connection


def test_a_test_from_its_cookie_to_its_results() -> None:
    dialogue = Dialogue("iperf3-server")
    control = opened(dialogue, 40_000)
    assert control.takes(dialogue.waits(100)) == b"\x09"
    control.sends(with_length(PARAMETERS)[:4])
    assert control.takes(control.sends(PARAMETERS)) == b"\x0a\x01\x02"
    stream = opened(dialogue, 40_001)
    for _ in range(10):
        stream.sends(bytes(100))
    assert control.takes(control.sends(b"\x04")) == b"\x0d"
    answer = control.takes(control.sends(with_length(RESULTS)))
    length = int.from_bytes(answer[:4], "big")
    assert json.loads(answer[4 : 4 + length])["streams"][0]["id"] == 1
    assert answer[4 + length :] == b"\x0e"
    control.sends(b"\x10")
    assert [flags(peer.says("FA")) for peer in (stream, control)] == [["FA"], ["FA"]]
    counts = {
        name: dialogue.count(name) for name in ("tests", "streams", "bytes_of_streams", "finished", "lost")
    }
    assert counts == {"tests": 1, "streams": 1, "bytes_of_streams": 1000, "finished": 2, "lost": 0}
