# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries and triggers on devices with a planted truth, and the applications that are made of them."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from TesterLibrary.files import paths
from TesterLibrary.testbeds.load import load_testbed
from TesterLibrary.testbeds.privilege import is_privileged

from .robots import check_failed, check_passed, lines, robot, run

APPS = paths.suite_root() / "apps"
MATRIX = Path(__file__).parents[1] / "matrix"
# A name server whose answers of 4,000 bytes leave in three pieces, of which only the first one has ports.
NAME_SERVER = """
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("198.18.1.53", 53))
print("ready", flush=True)
while True:
    question, client = server.recvfrom(2000)
    head = question[:2] + bytes.fromhex("81800001000100000000")
    record = bytes.fromhex("c00c0010000100000000") + (3990).to_bytes(2, "big") + bytes(3990)
    server.sendto(head + question[12:] + record, client)
"""
PIECES_TESTBED = """
version: 1
name: pieces
ports:
  - {name: p1, speed: 1 Gbps, interface: "iface:pieces-t1", address: 198.18.1.2/16}
  - {name: p2, speed: 1 Gbps, interface: "iface:pieces-t2", address: 198.19.1.2/16}
dut: {name: A name server, kind: physical, layer: 2}
"""
PLANTED: list[str] = [*load_testbed("embedded/web-hosts").dut.options["also"]["server"]]


@pytest.mark.long
def test_queries_say_exactly_which_hosts_live(tmp_path: Path) -> None:
    tests = run("query.robot", tmp_path, f"ALIVE:{','.join(PLANTED)}")
    assert tests["Too Few Keys Are Inconclusive"].skipped
    assert "packets of query 'alive' had keys beside the 30 for which it has room" in (
        tests["Too Few Keys Are Inconclusive"].message
    )
    assert tests["One That Is Missing Fails"].message.startswith(
        f"FAIL: keys of query alive is 37 keys, besides {PLANTED[0]}, required == {PLANTED[1]}, "
    )
    check_passed(tests, apart_from=["Too Few Keys Are Inconclusive", "One That Is Missing Fails"])
    evidence = tmp_path / "evidence"
    recorded = [event for event in lines(evidence / "events.jsonl") if event["event"] == "query"]
    found = json.loads((evidence / recorded[0]["file"]).read_text())
    assert (found["query"], found["distinct"], found["doubt"]) == ("alive", 37, "")
    with (evidence / "queries" / found["rows"]).open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["IP.src", "packets"]
    assert [row[0] for row in rows[1:]] == PLANTED


@pytest.mark.parametrize(
    ("suite", "count"),
    [
        pytest.param("traffic", 5, marks=pytest.mark.long),
        ("hosts", 2),
        ("syn_flood", 1),
        ("dns_amplification", 1),
    ],
)
def test_an_application_passes_on_a_device_that_is_right(suite: str, count: int, tmp_path: Path) -> None:
    tests = robot(APPS / f"{suite}.robot", tmp_path)
    assert len(tests) == count
    check_passed(tests)


def test_a_switch_asks_a_web_server_by_clients_that_nobody_keeps(tmp_path: Path) -> None:
    page = "PAGE:TCP.flags has P and TCP.dport == 2000-2049"
    tests = robot(
        APPS / "hosts.robot", tmp_path, f"TESTBED:{MATRIX / 'fake-web.yaml'}", page, only="Web Testing"
    )
    check_passed(tests)
    assert len(tests) == 1


def test_a_flood_that_passes_the_device_is_found(tmp_path: Path) -> None:
    tests = robot(APPS / "syn_flood.robot", tmp_path, "TESTBED:embedded/l4-gateway")
    check_failed(tests, "SYN Flood", "count of query passed is 2,000, required == 0")


@pytest.mark.long
def test_a_switch_floods_a_device_and_finds_what_passes_it(tmp_path: Path) -> None:
    right, attackers = MATRIX / "fake-syn-proxy.yaml", "ATTACKERS:198.18.3.1-198.18.3.200:1024"
    check_passed(robot(APPS / "syn_flood.robot", tmp_path / "right", f"TESTBED:{right}", attackers))
    wrong = tmp_path / "gateway.yaml"
    text = right.read_text(encoding="utf-8")
    wrong.write_text(text.replace("syn_proxy: true", "syn_proxy: false"), encoding="utf-8")
    tests = robot(APPS / "syn_flood.robot", tmp_path / "wrong", f"TESTBED:{wrong}", attackers)
    check_failed(tests, "SYN Flood", "count of query passed is ")


@pytest.mark.long
def test_more_frames_in_a_millisecond_than_allowed_are_found(tmp_path: Path) -> None:
    name = "No Microburst Leaves The Device"
    tests = robot(APPS / "traffic.robot", tmp_path, "BURST:5", only=name)
    check_failed(tests, name, "largest burst is")


@pytest.fixture
def answers_in_pieces(tmp_path: Path) -> Iterator[Path]:
    """The testbed of a name server in a namespace of its own, which gives long answers."""
    if not is_privileged():
        pytest.skip("needs root for a network namespace")
    # Its interfaces are gone with it.
    far = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
    inside = ["nsenter", "--target", str(far.pid), "--net"]
    while Path(f"/proc/{far.pid}/ns/net").readlink() == Path("/proc/self/ns/net").readlink():
        assert far.poll() is None
    server = None
    try:
        for port in ("1", "2"):
            end = f"pieces-d{port} netns {far.pid}"
            subprocess.run(f"ip link add pieces-t{port} type veth peer name {end}".split(), check=True)
            subprocess.run(f"ip link set pieces-t{port} up".split(), check=True)
            subprocess.run([*inside, *f"ip link set pieces-d{port} up".split()], check=True)
        off = "ethtool -K pieces-d1 tx off tso off gso off gro off txvlan off tx-vlan-stag-hw-insert off"
        for command in ("ip address add 198.18.1.53/16 dev pieces-d1", off):
            subprocess.run([*inside, *command.split()], check=True)
        server = subprocess.Popen([*inside, sys.executable, "-c", NAME_SERVER], stdout=subprocess.PIPE)
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        testbed = tmp_path / "pieces.yaml"
        testbed.write_text(PIECES_TESTBED)
        yield testbed
    finally:
        for process in filter(None, (server, far)):
            process.kill()
            process.communicate()


@pytest.mark.long
def test_an_answer_in_pieces_is_amplified_by_all_of_them(answers_in_pieces: Path, tmp_path: Path) -> None:
    """Each question of 79 bytes has 4,157 bytes of answer; the pieces with ports are 1,518 of them."""
    options = (f"TESTBED:{answers_in_pieces}", "SERVICE:198.18.1.53:53", "QUESTIONS:20", "FACTOR:30")
    tests = robot(APPS / "dns_amplification.robot", tmp_path, *options)
    check_failed(tests, "Answers Are Not Much Longer Than Questions", "amplification is 52.")
