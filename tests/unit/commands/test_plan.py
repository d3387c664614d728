# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import re
from fractions import Fraction
from math import prod
from pathlib import Path

import pytest

from TesterLibrary.commands import main as cli


def test_it_prints_the_plan_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "bursts", "--target", "tofino"]) == 0
    # Which port it is, is for the solver to choose.
    assert re.sub(r"port [01]/[0-9]+", "port J/K", capsys.readouterr().out).splitlines() == [
        "bursts on tofino: 3 streams",
        "  steady: 10 Gbps of 64 bytes is 19.53125 Mpps; meter 19.5337 Mpps (+1.3e-04 by itself), "
        "pass 8,000 skip 1, 16 template packets in loopback port J/K; error none",
        "  burst: 4 Gbps of 1024 bytes is 488.28125 kpps; meter 1.22086 Mpps (+1.3e-04 by itself), "
        "pass 8,000 skip 1, pass 1,000 skip 1,500, 2 template packets in loopback port J/K; error none",
        "  staged: 1 Gbps of 256 bytes is 488.28125 kpps; meter 4.88342 Mpps (+1.3e-04 by itself), "
        "pass 8,000 skip 1, pass 4 skip 6, pass 100 skip 300, "
        "4 template packets in loopback port J/K; error none",
        "  takes 3 of 256 templates, 3 of 512 copies to ports",
        "  multicast groups: 2",
    ]
    assert cli.main(["plan", "steady"]) == 0
    assert (
        "33.3 % of 64 bytes is 4.95536 Mpps; 111 frames in 22,400 ns; error none" in capsys.readouterr().out
    )


def test_its_json_is_exact(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "bursts", "--target", "tofino", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["job"], plan["target"], len(plan["streams"])) == ("bursts", "tofino", 3)
    for stream in plan["streams"]:
        ratio = prod(Fraction(stage["pass"], stage["pass"] + stage["skip"]) for stage in stream["stages"])
        assert Fraction(stream["meter_pps"]) * ratio == Fraction(stream["planned_pps"])
        assert float(Fraction(stream["planned_pps"]) / Fraction(stream["asked_pps"]) - 1) == stream["error"]
        (frame,) = stream["frames"]
        assert len(frame) // 2 + 4 == stream["frame_size"]
    assert cli.main(["plan", "steady", "--json"]) == 0
    north, south = json.loads(capsys.readouterr().out)["streams"]
    assert (north["packets"], north["nanoseconds"], north["error"]) == (111, 22_400, 0)
    assert (south["packets"], south["nanoseconds"]) == (3, 2_000)


def test_what_cannot_be_planned_ends_with_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "shapes", "--target", "tofino"]) == cli.STATUS["ERROR"]
    assert (
        "shapes.yaml: stream 'day': its rate is a sine, 1,050,000 frames in 10,000,000,000 ns"
        in capsys.readouterr().err
    )
    assert cli.main(["plan", "none"]) == cli.STATUS["ERROR"]
    assert (
        "'none' does not come with the library; these do: bursts, flows, light, norma-bursts, norma-rates"
        in capsys.readouterr().err
    )


STEP = """version: 1
name: step
ports: [{name: p1, speed: 10 Gbps}, {name: p2, speed: 10 Gbps}]
streams: [{name: s, tx: p1, rx: p2, time_pattern: {shape: step, high: 110 kpps, low: 55 kpps, period: 120 s}}]
"""


def test_it_says_what_a_switch_makes_of_a_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "step.yaml"
    path.write_text(STEP)
    assert cli.main(["plan", str(path), "--target", "tofino"]) == 0
    first, second = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  s, ")]
    assert first.startswith("  s, first rate, 6,600,000 frames: 110 kpps of 64 bytes is 110 kpps; ")
    assert second.startswith("  s, second rate, 3,300,000 frames: 55 kpps of 64 bytes is 55 kpps; ")
    assert "after the start" not in first
    delay = re.search(
        r", ([\d,]+) frames after the start, [\d.]+ us after the rate before has ended, ", second
    )
    assert delay
    assert cli.main(["plan", str(path), "--target", "tofino", "--json"]) == 0
    streams = json.loads(capsys.readouterr().out)["streams"]
    assert [stream["pause_ns"] is None for stream in streams] == [True, False]
    assert 0 <= streams[1]["pause_ns"] <= 20_000  # a gap is 18.2 us
    assert int(delay[1].replace(",", "")) == streams[1]["delay_frames"]
    begin = streams[1]["delay_frames"] / Fraction(streams[1]["planned_pps"])
    assert abs(begin - 60) <= Fraction(2, 55_000)
    assert [stream["step"] for stream in streams] == [
        {"before": 0, "frames": 6_600_000},
        {"before": 6_600_000, "frames": 3_300_000},
    ]
    assert cli.main(["plan", str(path)]) == 0
    assert (
        "; 6,600,000 frames in 60,000,000,000 ns, then 3,300,000 frames in 60,000,000,000 ns, once; "
        in capsys.readouterr().out
    )


_VALUES = """
version: 1
name: own
ports: [{name: p1, speed: 10 Gbps}, {name: p2, speed: 10 Gbps}]
streams:
  - {name: six, tx: p1, rx: p2, rate: 1 %, frame_size: 128, headers: Ether / IPv6 / UDP, edit: [
      {field: IPv6.src, sweep: {first: "2001:db8::1", count: 10}},
      {field: IPv6.dst, values: ["2001:db8::5", "2001:db8::9"]}]}
  - {name: labels, tx: p1, rx: p2, rate: 1 %, frame_size: 128,
     headers: Ether / MPLS(label=100) / MPLS(label=200) / IP / UDP, edit: [
      {field: "MPLS[2].label", sweep: {first: 16, count: 10}}]}
  - {name: macs, tx: p1, rx: p2, rate: 1 %, frame_size: 128, headers: Ether / IP / UDP, edit: [
      {field: Ether.src, sweep: {first: "02:00:00:00:00:09", last: "02:00:00:00:00:01", step: -1}},
      {field: IP.src, random: [10.0.0.0, 10.0.0.9]}]}
"""
_UPPER = """
  - {name: upper, tx: p1, rx: p2, rate: 1 %, frame_size: 128, headers: Ether / IPv6 / UDP, edit: [
      {field: IPv6.src, sweep: {first: "2001:db8::1", step: "0:0:1::", count: 10}}]}
"""


@pytest.mark.parametrize("target", ["engine", "tofino"])
def test_values_of_fields_are_written_as_the_field_is(
    tmp_path: Path, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(_VALUES + _UPPER if target == "engine" else _VALUES)
    assert cli.main(["plan", str(path), "--target", target]) == 0
    out = capsys.readouterr().out
    for line in (
        "    IPv6.src (bits 240 to 303): 2001:db8::1 and 9 steps of +1\n",
        "    IPv6.dst (bits 368 to 431): 2001:db8::5, 2001:db8::9, one after the other",
        "    MPLS[2].label (bits 144 to 163): 16 and 9 steps of +1\n",
        "    Ether.src (bits 48 to 95): 02:00:00:00:00:09 and 8 steps of -1\n",
        "    IP.src (bits 208 to 239): at random from 10.0.0.0 to 10.0.0.9, seed ",
    ):
        assert line in out
    if target == "engine":
        assert "    IPv6.src (bits 176 to 239): 2001:db8::1 and 9 steps of +0:0:1::\n" in out


def test_a_file_of_one_s_own_is_given_by_its_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("version: 1\n")
    assert cli.main(["plan", str(path)]) == cli.STATUS["ERROR"]
    assert f"tester: {path}:1: name: is missing" in capsys.readouterr().err


def test_it_prints_what_changes_in_frames(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "flows"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("  web: 612.245 kpps of IMIX (353.83 bytes on average)")
    assert lines[2:5] == [
        "    IP.src (bits 208 to 239): 10.0.0.1 and 249 steps of +1",
        "    UDP.dport (bits 288 to 303): 53, 80, 443, one after the other for 250 frames each",
        "    750 flows",
    ]
    assert lines[7].endswith("0x4000 with random bits 0x3fff, seed 7 for 4 frames each")
    assert lines[-2] == "    flows without an end"
    assert lines[-1].startswith("  call: 1 Mbps of 218 bytes is 573.394 pps")
    assert cli.main(["plan", "flows", "--json"]) == 0
    web, voice, call = json.loads(capsys.readouterr().out)["streams"]
    assert [len(frame) // 2 + 4 for frame in web["frames"]] == [64, 570, 1518]
    assert sorted(web["order"]) == [0] * 7 + [1] * 4 + [2]
    assert (web["flows"], voice["flows"]) == (750, None)
    assert (web["matches"], len(call["matches"])) == ([], 1)
    assert (web["version_bit"], call["version_bit"]) == (8 * 18, 8 * 15 + 5)
    assert web["editors"][0]["source"] == {"kind": "Step", "first": 0x0A000001, "increment": 1, "count": 250}
    assert Fraction(web["packets"], web["nanoseconds"]) == 4 * Fraction(
        voice["packets"], voice["nanoseconds"]
    )


def test_of_a_capture_only_the_tester_knows_the_rate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "version: 1\nname: own\nports: [{name: p1, speed: 1 Gbps}, {name: p2, speed: 1 Gbps}]\n"
        "streams: [{name: a, tx: p1, rx: p2, replay: {file: x.pcap, scale: 2}}]\n"
    )
    assert cli.main(["plan", str(path)]) == 0
    assert "  a: x.pcap 1 times, gaps as captured x 2\n" in capsys.readouterr().out
    assert cli.main(["plan", str(path), "--json"]) == 0
    (stream,) = json.loads(capsys.readouterr().out)["streams"]
    assert (stream["rate"], stream["asked_pps"], stream["law"]) == ("as captured", "0", "replay")
    assert (stream["path"], stream["frames"]) == ("x.pcap", [])


def test_it_prints_responders_and_clients(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "web"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "web on engine: 0 streams, 2 responders and clients"
    assert lines[1] == "  backends: answers on p2, 65,536 flows at most"
    assert lines[3] == (
        "  users: opens flows on p1, 4,000 at once of 516,096, 2000 each second, until it is stopped"
    )
    assert cli.main(["plan", "web", "--json"]) == 0
    backends, users = json.loads(capsys.readouterr().out)["ends"]
    assert (backends["parameters"]["rto"], backends["opening"]) == (50_000, None)
    assert users["opening"]["rate"] == "1/500000"
    assert users["protocol"]["name"] == "http-client"


_EDITED = """
version: 1
name: edited
seed: 1
ports:
  - {name: p1, speed: 10 Gbps}
  - {name: p2, speed: 10 Gbps}
streams:
  - name: web
    tx: p1
    rx: p2
    rate: 10 %
    frame_size: 128
    headers: Ether / IP / UDP
    edit:
      - {field: IP.src, sweep: {first: 10.0.0.1, last: 10.0.0.250}}
      - {field: UDP.dport, values: [53, 80, 443]}
    cascade: [[IP.src, UDP.dport]]
"""


def test_it_prints_what_units_of_a_switch_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "edited.yaml"
    path.write_text(_EDITED)
    assert cli.main(["plan", str(path), "--target", "tofino"]) == 0
    assert capsys.readouterr().out.splitlines()[2:-2] == [
        "    IP.src (bits 208 to 239): 10.0.0.1 and 249 steps of +1",
        "    UDP.dport (bits 288 to 303): 53, 80, 443, one after the other for 250 frames each, "
        "3 listed values, moved when the field before begins anew",
        "    750 flows",
    ]
    assert cli.main(["plan", str(path), "--target", "tofino", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    (stream,) = record["streams"]
    source, port = stream["switch_editors"]
    assert (source["field"], source["start"], source["step"], source["bound"]) == ("IP.src", 0, 1, 250)
    assert [entry["value"] for entry in port["listed"]] == [53, 80, 443]
    assert port["cascaded"] is True
    switch = record["switch"]
    assert switch["templates"] == {"web": 0}
    assert switch["multicast_groups"] == [{"number": 1, "ports": ["p1"]}]
    assert switch["copies"] == [{"template": 0, "end": None, "group": 1}]
    used = {use["resource"]: (use["needed"], use["available"]) for use in switch["capacity"]}
    assert used["values in lists of the second editor"] == (3, 4096)
    assert cli.main(["plan", "flows", "--target", "tofino"]) == cli.STATUS["ERROR"]
    assert "stream 'web': 3 different frames whose flows are counted" in capsys.readouterr().err


_RESPONDER = """
version: 1
name: responder
ports: [{name: p1, speed: 100 Gbps, address: 198.18.1.2/16}, {name: p2, speed: 100 Gbps}]
responders: [{name: web, port: p1, protocol: %s}]
"""


def test_it_prints_where_a_responder_loops_in_a_switch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "responder.yaml"
    path.write_text(_RESPONDER % "http-get")
    assert cli.main(["plan", str(path), "--target", "tofino", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    (web,) = plan["ends"]
    assert [loop["loop"]["role"] for loop in web["loops"]] == ["read", "write", "content", "control"]
    assert len({loop["place"]["pipeline"] for loop in web["loops"]}) == 1
    assert [queue["name"] for queue in web["protocol"]["queues"]] == [
        "syn_ack",
        "content",
        "more",
        "fin_ack",
        "acknowledge",
        "reset",
    ]
    assert {group["number"]: group["ports"] for group in plan["switch"]["multicast_groups"]} == {1: ["p1"]}
    path.write_text(_RESPONDER % "syn-reset")
    assert cli.main(["plan", str(path), "--target", "tofino"]) == 0
    assert "2 of 1,024 rows of protocols that only reply, 1 of 256 replies" in capsys.readouterr().out
    path.write_text(_RESPONDER % "nd")
    assert cli.main(["plan", str(path), "--target", "tofino"]) == cli.STATUS["ERROR"]
    refused = (
        "nd.yaml: line 17: template advertisement: Ether / IPv6 / ICMPv6ND_NA / ICMPv6NDOptDstLLAddr for "
    )
    assert refused in capsys.readouterr().err


def test_it_prints_which_tick_of_a_gap_a_stream_of_a_mix_leaves_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _mix(tmp_path, 4)
    assert cli.main(["plan", str(path), "--target", "tofino"]) == 0
    assert "pass 1 skip 3 from tick 1 on, " in capsys.readouterr().out
    assert cli.main(["plan", str(path), "--target", "tofino", "--json"]) == 0
    assert [stream["phase"] for stream in json.loads(capsys.readouterr().out)["streams"]] == [
        0,
        0.25,
        0.5,
        0.75,
    ]


def test_it_says_where_a_phase_is_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", str(_mix(tmp_path, 40)), "--target", "tofino"]) == 0
    assert capsys.readouterr().out.count("without its phase, for whose ticks no loopback port has room") == 39


def test_it_prints_a_line_for_each_size_of_a_stream(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "imix.yaml"
    path.write_text(_IMIX, encoding="utf-8")
    assert cli.main(["plan", str(path), "--target", "tofino"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "imix on tofino: 1 stream"
    assert [line.partition(";")[0].strip() for line in lines[1:4]] == [
        "north: 7 kpps of 64 bytes is 7 kpps",
        "north: 4 kpps of 570 bytes is 4 kpps",
        "north: 1 kpps of 1518 bytes is 1 kpps",
    ]
    assert cli.main(["plan", str(path), "--target", "tofino", "--json"]) == 0
    templates = json.loads(capsys.readouterr().out)["switch"]["templates"]
    assert templates == {"north, 64 bytes": 0, "north, 570 bytes": 1, "north, 1518 bytes": 2}


def test_a_tofino_2_changes_three_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "fields.yaml"
    path.write_text(_FIELDS, encoding="utf-8")
    assert cli.main(["plan", str(path), "--target", "tofino"]) == cli.STATUS["ERROR"]
    said = "3 fields change (IP.src, IP.dst, UDP.dport); a switch changes 2 of a template"
    assert said in capsys.readouterr().err
    assert cli.main(["plan", str(path), "--target", "tofino2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("fields on tofino2: 1 stream\n")
    assert "2 of 4,096 values in lists of the third editor" in out


@pytest.mark.parametrize("target", ["tofino", "tofino2"])
def test_a_switch_opens_flows(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "clients.yaml"
    path.write_text(_CLIENTS, encoding="utf-8")
    assert cli.main(["plan", str(path), "--target", target]) == 0
    assert capsys.readouterr().out


_FIELDS = """version: 1
name: fields
ports: [{name: p1, speed: 10 Gbps}, {name: p2, speed: 10 Gbps}]
streams:
  - name: north
    tx: p1
    rx: p2
    rate: 12 kpps
    edit:
      - {field: IP.src, sweep: {first: 10.0.0.1, count: 4}}
      - {field: IP.dst, sweep: {first: 10.0.1.1, count: 4}}
      - {field: UDP.dport, values: [80, 443]}
"""
_CLIENTS = """version: 1
name: clients
ports: [{name: p1, speed: 10 Gbps, address: 198.18.1.2/16}, {name: p2, speed: 10 Gbps}]
clients:
  - name: users
    port: p1
    protocol: http-get-client
    target: 198.18.3.1:80
    sources: 198.18.2.1-198.18.2.8:2000
    connections: 8
    rate: 100/s
"""
_IMIX = """version: 1
name: imix
ports: [{name: p1, speed: 10 Gbps}, {name: p2, speed: 10 Gbps}]
streams: [{name: north, tx: p1, rx: p2, frame_size: imix, rate: 12 kpps}]
"""


def _mix(folder: Path, streams: int) -> Path:
    """A job file of as many streams that fill a port in turn."""
    path, names = folder / "mix.yaml", [f"s{number}" for number in range(streams)]
    record = {
        "version": 1,
        "name": "mix",
        "ports": [{"name": name, "speed": "100 Gbps"} for name in ("p1", "p2")],
        "streams": [{"name": name, "tx": "p1", "rx": "p2"} for name in names],
        "mixes": [{"name": "m", "rate": "100 %", "shares": dict.fromkeys(names, f"{100 / streams} %")}],
    }
    path.write_text(json.dumps(record), encoding="utf-8")
    return path
