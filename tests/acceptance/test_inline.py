# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths between two TCP stacks of the kernel: what was dropped is what the stacks say they sent again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scapy.contrib.roce import BTH
from scapy.layers.l2 import Ether
from scapy.utils import PcapNgReader

from TesterLibrary.files import paths
from TesterLibrary.reporting.captures.frame_files import frame_files
from TesterLibrary.reporting.captures.query import query
from TesterLibrary.reporting.record.records import read
from tests.dissection import wrong_checksums

from .robots import check_passed, lines, quick_or_long, robot, run

_LONG = ("router_latency", "proxy_delay")
SHIPPED = {"tcp_loss": 7, "roce_go_back_n": 8, "router_latency": 4, "proxy_delay": 1}  # their tests


@pytest.mark.parametrize(
    ("suite", "count"),
    [quick_or_long(suite, count, long=suite in _LONG) for suite, count in SHIPPED.items()],
)
def test_the_shipped_suites_pass(suite: str, count: int, tmp_path: Path) -> None:
    tests = robot(paths.suite_root() / "inline" / f"{suite}.robot", tmp_path)
    assert len(tests) == count
    check_passed(tests)


def test_a_fake_switch_between_hosts_of_the_kernel_loses_what_it_is_told_to(tmp_path: Path) -> None:
    """The suite of the engine as it is, behind tables and registers of the program of paths."""
    suite = paths.suite_root() / "inline" / "tcp_loss.robot"
    tests = robot(suite, tmp_path, "TESTBED:embedded/tofino-path-hosts")
    refused = tests.pop("A Corruption That No Checksum Tells")
    assert "a switch keeps the checksum of what it corrupts" in refused.message
    assert len(tests) == SHIPPED["tcp_loss"] - 1
    check_passed(tests)


@pytest.mark.long
def test_a_fake_switch_times_what_a_router_of_the_kernel_forwards(tmp_path: Path) -> None:
    """The suite of the engine as it is; only stamps of packets are known again there."""
    suite = paths.suite_root() / "inline" / "router_latency.robot"
    slow = ("TESTBED:embedded/tofino-stamped-router", "UDP_RATE:5M", "DELAY:2 s")
    tests = robot(suite, tmp_path, *slow)
    for matched in ("TCP, Matched", "UDP, Matched"):
        assert "a switch remembers no packet" in tests.pop(matched).message
    assert len(tests) == SHIPPED["router_latency"] - 2
    check_passed(tests)
    assert not (tmp_path / "evidence" / "stamps").exists()


@pytest.mark.long
def test_an_end_of_roce_that_breaks_a_rule_is_found(tmp_path: Path) -> None:
    selective = changed(
        tmp_path,
        "roce-requester",
        "do: [count: retransmitted, add: {next: 1}, start",
        "do: [count: retransmitted, set: {next: top, at: top - message}, start",
    )
    mistaken = changed(
        tmp_path,
        "roce-responder",
        "BTH.psn: expected, AETH.syndrome: SEQUENCE_ERROR",
        "BTH.psn: expected + 1, AETH.syndrome: SEQUENCE_ERROR",
    )
    tests = run("roce.robot", tmp_path / "run", f"SELECTIVE:{selective}", f"MISTAKEN:{mistaken}")
    assert len(tests) == 4
    check_passed(tests)
    check_crcs(tmp_path / "run" / "evidence" / "captures" / "whole.pcapng")


def changed(folder: Path, protocol: str, line: str, otherwise: str) -> Path:
    """A copy of a shipped table in which one row is another."""
    text = paths.resource("protocols", protocol).read_text(encoding="utf-8")
    assert text.count(line) == 1
    file = folder / f"{protocol}.yaml"
    file.write_text(text.replace(line, otherwise), encoding="utf-8")
    return file


def check_crcs(trace: Path) -> None:
    """Each packet has the invariant CRC that Scapy finds for it, and right checksums."""
    with PcapNgReader(str(trace)) as reader:
        frames = [bytes(packet) for packet in reader]
    roce = [frame for frame in frames if BTH in Ether(frame)]
    opcodes = {Ether(frame)[BTH].opcode for frame in roce}
    assert opcodes == {0x06, 0x07, 0x08, 0x0C, 0x0D, 0x0E, 0x0F, 0x11, 0x81}
    for frame in roce:
        assert wrong_checksums(frame) == []
        packet = Ether(frame)
        sent = packet[BTH].icrc
        packet[BTH].icrc = None
        assert Ether(bytes(packet))[BTH].icrc == sent


@pytest.mark.long
def test_stamps_find_what_a_router_has_lost(tmp_path: Path) -> None:
    tests = run("stamps.robot", tmp_path)
    assert len(tests) == 11
    inconclusive = {
        "A Packet That Is Too Long": "packets forward were not stamped: they would be longer than the MTU ",
        "Nothing Was Stamped": "no packet of load was stamped forward",
    }
    check_passed(tests, inconclusive)
    files = {file.name for file in (tmp_path / "evidence" / "stamps").iterdir()}
    assert {"load-forward-flows.csv", "load-forward-intervals.csv"} <= files
    logs = {file.name[4:] for file in (tmp_path / "evidence" / "hosts").iterdir()}
    assert {"client-iperf3.log", "server-iperf3.log", "router-nft.log"} <= logs


@pytest.mark.long
def test_a_device_that_ends_connections_keeps_no_stamps(tmp_path: Path) -> None:
    tests = run("stamps_proxy.robot", tmp_path)
    (test,) = tests.values()
    assert test.skipped
    assert "it is only known to lie between 0 % and 100 %" in test.message
    assert "came from the device without a known stamp" in test.message


def test_keywords_for_paths(tmp_path: Path) -> None:
    tests = run("path.robot", tmp_path)
    assert len(tests) == 11
    unfired = {
        "Unfired": "number of fired events of path wan: event 'far too late' did not fire: it saw ",
        "Unfired, And A Counter": "TcpRetransSegs of server: event 'nobody' did not fire: it saw 0 packets",
        "Unfired, And Any Verdict": "time to the last byte: event 'nobody' did not fire: it saw 0 packets",
    }
    check_passed(tests, unfired)
    stopped = [e for e in lines(tmp_path / "evidence" / "events.jsonl") if e["event"] == "path_stopped"]
    assert [event["name"] for event in stopped[0]["events"]] == [
        "1: duplicate data packet 5 of flow 1 backward"
    ]
    assert all(event["lost"] == 0 and event["objections"] == [] for event in stopped)


@pytest.mark.long
def test_paths_delay_reorder_lose_and_shape(tmp_path: Path) -> None:
    tests = run("impairment.robot", tmp_path)
    assert len(tests) == 12
    inconclusive = {
        "Too Few Follow": "event 'nobody passes' did not fire: too few packets ",
        "Nothing Was Lost": "impairment 'loss 0.0000001 %' did not happen: none of ",
    }
    check_passed(tests, inconclusive)
    stopped = [e for e in lines(tmp_path / "evidence" / "events.jsonl") if e["event"] == "path_stopped"]
    for path in stopped:
        gone = ("forwarded", "dropped", "loss_drops", "tail_drops", "overflowed", "lost", "held")
        assert path["received"] + path["duplicated"] == sum(path[name] for name in gone), path


@pytest.mark.long
def test_events_rewrite_swallow_and_reset(tmp_path: Path) -> None:
    tests = run("path_events.robot", tmp_path)
    assert len(tests) == 11
    check_passed(
        tests,
        {"A Field Of Another Header": "event 'of UDP' did not fire: it could not happen to the "},
    )
    stopped = [e for e in lines(tmp_path / "evidence" / "events.jsonl") if e["event"] == "path_stopped"]
    for path in stopped:
        gone = ("forwarded", "dropped", "loss_drops", "tail_drops", "overflowed", "lost", "held")
        came = path["received"] + path["duplicated"] + path["injected"]
        assert came == sum(path[name] for name in gone), path


def test_traces_of_paths(tmp_path: Path) -> None:
    tests = run("trace.robot", tmp_path)
    assert len(tests) == 11
    holes = {
        "A Trace With A Hole": "50 packets in the trace, ",
        "Recovery In A Trace With A Hole": "1 lost: the trace of path 'wan' is not complete",
        "A Trace That Begins Late And A Counter": "does not begin with the last start",
        "A Trace That Ends Early And A Counter": "1 of TcpRetransSegs of server were counted after the trace",
        "A Trace Of An Earlier Start And A Counter": "does not begin with the last start",
        "Headers That Were Not Kept": "packet 0 was kept without the end of its headers",
    }
    check_passed(tests, holes)
    traces = [e for e in lines(tmp_path / "evidence" / "events.jsonl") if e["event"] == "trace"]
    assert traces[0]["file"] == "captures/lost.pcapng"
    assert traces[0]["packets"] == traces[0]["received"] > 50
    with PcapNgReader(str(tmp_path / "evidence" / traces[0]["file"])) as reader:
        said = [packet.comment.decode() for packet in reader]
    assert len(said) == traces[0]["packets"]
    (dropped,) = [text for text in said if "event 'the twentieth'" in text]
    assert dropped.endswith("backward, event 'the twentieth', transmission 1, has not left")
    check_rows(tmp_path / "evidence", traces[0])


def check_rows(evidence: Path, trace: dict[str, Any]) -> None:
    """Each packet of a trace is a row: it arrived before it left, but for the one that was dropped."""
    files, problems = frame_files(evidence, read(evidence))
    assert ([file.name for file in files], problems) == (["lost.parquet"], [])
    counts = "count(distinct sequence), count(sent_ns), count(*) filter (sent_ns < received_ns)"
    sql = f"select count(*), {counts} from frames where capture = 'wan' and trial is null"
    packets = trace["packets"]
    assert query(read(evidence), sql, frames=files).rows == ((packets, packets, packets - 1, 0),)
    sql = "select direction, port, event from frames where sent_ns is null"
    assert query(read(evidence), sql, frames=files).rows == (("backward", "p2", "the twentieth"),)
