# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine refuses a scanner that no library of ours writes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from TesterLibrary._generated.tester.v1 import protocol_pb2, responder_pb2
from TesterLibrary.planning.engine.table import flat_table
from TesterLibrary.protocols.checker import load_protocol

from .engine_machine import program

pytestmark = pytest.mark.skipif(program() is None, reason="the engine has not been built")


def _base(scanner: protocol_pb2.Scanner) -> None:
    scanner.finds[-1].number.base = 8


def _before(scanner: protocol_pb2.Scanner) -> None:
    scanner.finds[-1].number.before = bytes(17)


def _number(scanner: protocol_pb2.Scanner) -> None:
    scanner.finds[-1].number.register = 99


def _otherwise(scanner: protocol_pb2.Scanner) -> None:
    scanner.finds[-1].number.otherwise[0].register = 99


def _add(scanner: protocol_pb2.Scanner) -> None:
    scanner.finds[0].add.add(register=99, initial=b"\1")


def _begin(scanner: protocol_pb2.Scanner) -> None:
    scanner.ends = len(scanner.finds)


def _finds(scanner: protocol_pb2.Scanner) -> None:
    scanner.finds.extend([protocol_pb2.Find()] * 40)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_base, "a number of base 8; the bases are 10 and 16"),
        (_before, "bytes behind a number"),
        (_number, "register"),
        (_otherwise, "register"),
        (_add, "register"),
        (_begin, "its begin is the last find, and all of its 3 end the scan"),
        (_finds, "finds of a scanner"),
    ],
)
def test_a_scanner_that_is_not_sound_is_refused(
    change: Callable[[protocol_pb2.Scanner], None], said: str, tmp_path: Path
) -> None:
    flat = flat_table(load_protocol("http-client"))
    message = responder_pb2.Responder(name="x", port="p1", protocol=flat.message, flow_capacity=10)
    change(message.protocol.tables[1].scanners[1])
    file = tmp_path / "plan"
    file.write_bytes(message.SerializeToString())
    found = program()
    assert found is not None
    done = subprocess.run([found, str(file)], input="", capture_output=True, text=True, check=False)
    assert (done.returncode, said in done.stderr) == (1, True), done.stderr
