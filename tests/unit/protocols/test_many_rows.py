# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Cells with so many rows that the engine tries them one by one, and such in which it decides at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.protocols.interpreter import Interpreter

from .engine_machine import EngineMachine, program

pytestmark = pytest.mark.skipif(program() is None, reason="the engine has not been built")

MOST_DECIDED = 64  # rows
HEAD = """\
version: 1
name: many
headers: Ether / IP / UDP
counters: [first, second, third, other]
states: [idle]
table:
"""
WHEN = "{{UDP.dport: {port}, UDP.sport: {{above: 6}}}}"
ROW = f"  - {{{{in: idle, on: packet, when: {WHEN}, do: [count: {{name}}]}}}}\n"
REST = "  - {in: idle, on: packet, do: [count: other, reply: {swap: [[UDP.sport, UDP.dport]]}]}\n"


@pytest.mark.parametrize("rows", [MOST_DECIDED, MOST_DECIDED + 1, 200])
def test_the_row_that_holds_is_found_however_many_there_are(tmp_path: Path, rows: int) -> None:
    counters = ("first", "second", "third")
    table = (ROW.format(port=port, name=counters[port % 3]) for port in range(rows - 1))
    (tmp_path / "many.yaml").write_text(HEAD + "".join(table) + REST)
    protocol = load_protocol(str(tmp_path / "many.yaml"))
    interpreter, engine = Interpreter(protocol), EngineMachine(protocol)
    for now, (sport, dport) in enumerate((s, d) for s in (6, 7) for d in range(0, rows + 3, 7)):
        frame = bytes(Ether(src="02:00:00:00:00:09") / IP() / UDP(sport=sport, dport=dport))
        assert engine.receive(frame, now) == interpreter.receive(frame, now), (sport, dport)
    assert {name: count for name, count in engine.counters.items() if count} == dict(interpreter.counters)
    assert set(counters) <= interpreter.counters.keys()
