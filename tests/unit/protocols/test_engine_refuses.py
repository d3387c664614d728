# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine refuses scanners and headers that no library of ours writes."""

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
    check_refused(message, said, tmp_path / "plan")


def _alone(protocol: protocol_pb2.Protocol) -> None:
    protocol.headers[2].kind = protocol_pb2.Header.KIND_PLAIN


def _twice(protocol: protocol_pb2.Protocol) -> None:
    protocol.tables[0].templates[0].headers[4].kind = protocol_pb2.Header.KIND_BTH
    protocol.tables[0].templates[0].headers[4].octets = bytes(12)


def _short(protocol: protocol_pb2.Protocol) -> None:
    protocol.headers[3].octets = bytes(11)


def _body(protocol: protocol_pb2.Protocol) -> None:
    reading = next(
        index
        for index, expression in enumerate(protocol.expressions)
        if all(protocol.operands[term.operand].HasField("field") for term in expression.terms)
    )
    protocol.tables[0].templates[-1].body = reading


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_alone, "header 3 of kind BTH: it is behind UDP in IPV4 or IPV6, once"),
        (_twice, "header 4 of kind BTH: it is behind UDP in IPV4 or IPV6, once"),
        (_short, "header 3 has 11 bytes; one of its kind has 12"),
        (_body, "its body may need 16 bits, or reads a packet; it has at most 63, of registers and numbers"),
    ],
)
def test_a_check_that_covers_no_ip_and_a_body_of_a_packet_are_refused(
    change: Callable[[protocol_pb2.Protocol], None], said: str, tmp_path: Path
) -> None:
    flat = flat_table(load_protocol("roce-responder"))
    message = responder_pb2.Responder(name="x", port="p1", protocol=flat.message, flow_capacity=10)
    change(message.protocol)
    check_refused(message, said, tmp_path / "plan")


def check_refused(message: responder_pb2.Responder, said: str, file: Path) -> None:
    """The engine does not compile it, and says why."""
    file.write_bytes(message.SerializeToString())
    found = program()
    assert found is not None
    done = subprocess.run([found, str(file)], input="", capture_output=True, text=True, check=False)
    assert (done.returncode, said in done.stderr) == (1, True), done.stderr
