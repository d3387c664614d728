# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
from fractions import Fraction
from ipaddress import ip_address, ip_interface
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.files import paths
from TesterLibrary.files.job import load_job
from TesterLibrary.model.departures import CaptureReplay, Messages, PacketTrain, Shape, TimePattern
from TesterLibrary.model.pattern import Pattern, Stage
from TesterLibrary.model.payload import PayloadKind
from TesterLibrary.model.responder import Clients, Reopen, Responder
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from TesterLibrary.planning.prediction import predict, predict_ends, targets
from TesterLibrary.planning.switch.prediction import SwitchPrediction

from ...examples import examples

PORTS = (
    "version: 1\nname: job\nports:\n"
    "  - {name: p1, speed: 10 Gbps}\n  - {name: p2, speed: 10 Gbps}\nstreams:\n"
)
STREAM = PORTS + "  - {name: a, tx: p1, rx: p2, "


def job(folder: Path, text: str) -> str:
    path = folder / "job.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_example_with_bursts() -> None:
    file = load_job("bursts")
    assert [stream.name for stream in file.job.streams] == ["steady", "burst", "staged"]
    assert file.job.streams[1].rate == Rate(Fraction(4 * 10**9), RateUnit.L2)
    assert file.job.streams[2].payload.kind is PayloadKind.PRBS31
    assert str(file.job.streams[2].headers).startswith("Ether / IP / UDP / VXLAN(vni=42)")
    assert [stream.shaping for stream in file.job.streams] == [
        None,
        Pattern((Stage(1000, 1500),)),
        Pattern((Stage(4, 6), Stage(100, 300))),
    ]


def test_a_file_of_one_s_own(tmp_path: Path) -> None:
    text = (
        "version: 1\nname: routed\nseed: 7\nports:\n"
        "  - {name: p1, speed: 1 Gbps, mac: 02:00:00:00:00:aa, address: 198.18.1.2/24, gateway: 198.18.1.1}\n"
        "  - {name: p2, speed: 1 Gbps, max_frame_size: 1518}\n"
        "streams:\n"
        "  - {name: a, tx: p1, rx: p2, headers: Ether / FabricTag(id=7) / IP, definitions: example}\n"
    )
    file = load_job(job(tmp_path, text))
    assert (file.job.name, file.job.seed) == ("routed", 7)
    one, two = file.ports["p1"], file.ports["p2"]
    assert (one.mac.hex(), one.address, one.gateway) == (
        "0200000000aa",
        ip_interface("198.18.1.2/24"),
        ip_address("198.18.1.1"),
    )
    assert (two.mac.hex(), two.max_frame_size) == ("020000000002", 1518)
    (planned,) = predict(file, "engine")
    assert planned.planned.frame[12:16].hex() == "88b63007"
    assert planned.planned.frame[:6] == file.gateways["p1"]


@pytest.mark.parametrize("name", paths.names("jobs"))
def test_each_example_can_be_planned_for_the_engine(name: str) -> None:
    for prediction in predict(load_job(name), "engine"):
        assert abs(prediction.error) <= Fraction(1, 500)  # back to back takes the time of a frame


@pytest.mark.parametrize("name", ["bursts", "steady"])
def test_meters_and_stages_are_exact_to_a_packet_in_a_million(name: str) -> None:
    for prediction in predict(load_job(name), "tofino"):
        assert isinstance(prediction, SwitchPrediction)
        assert abs(prediction.error) <= Fraction(1, 10**6)
        assert prediction.rate == prediction.placed.staging.rate


def test_the_engine_s_clock_is_exact() -> None:
    north, south = predict(load_job("steady"), "engine")
    assert (north.error, south.error) == (0, 0)
    assert south.planned.rate == Fraction(3, 2000)
    assert not isinstance(north, SwitchPrediction)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "version: 1\nname: job\nports: []\nstreams: []\n",
            ":3: ports: [] is not allowed; give a list of 1 to 64",
        ),
        (
            PORTS + "  - {name: a, tx: p1}\n",
            ":7: streams[0].rx: is missing; give the name of the port that receives",
        ),
        (PORTS + "  - {name: a, tx: p1, rx: p2, size: 64}\n", ":7: streams[0].size: there is no such key"),
        (
            PORTS + "  - {name: a, tx: p1, rx: p2, arrivals: {law: cdf, values: [1 us:0, 2 us:0.5]}}\n",
            ":7: streams[0].arrivals: the CDF ends at 0.5",
        ),
        (
            PORTS
            + "  - {name: a, tx: p1, rx: p2, time_pattern: {shape: cosine, high: 1 kpps, period: 1 s}}\n",
            ":7: streams[0].time_pattern.shape: 'cosine' is not allowed (did you mean 'sine'?); give ramp",
        ),
        (
            STREAM + "messages: {list: [{packets: 1, count: 1048576}, {packets: 1}]}}\n",
            ":7: streams[0].messages: more than 1,048,576 messages",
        ),
        (
            PORTS + "  - {name: a, tx: p1, rx: p2, rate: 5 furlongs}\n",
            ":7: streams[0].rate: '5 furlongs' is not a rate",
        ),
        (
            STREAM + "version: {field: tos}}\n",
            ":7: streams[0].version: 'tos' is not a field; write header and field as in Scapy",
        ),
        (
            PORTS + "  - {name: a, tx: p1, rx: p2, frame_size: 63}\n",
            ":7: streams[0].frame_size: '63' is not a frame",
        ),
        (
            PORTS + "  - {name: a, tx: p1, rx: p2, headers: Ether /}\n",
            ":7: streams[0].headers: 'Ether /' is no header",
        ),
        (
            PORTS + "  - {name: a, tx: p1, rx: p2, headers: Ether, definitions: nope}\n",
            ":7: streams[0].definitions: headers: 'nope' does not come with the library",
        ),
        (
            PORTS + "  - {name: a, tx: p1, rx: p2, definitions: example}\n",
            ":7: streams[0].definitions: goes with headers that use it",
        ),
        (
            PORTS + "  - {name: a, tx: p1, rx: p2, payload: {kind: text}}\n",
            ":7: streams[0].payload: a payload of the kind text needs a content",
        ),
        (
            PORTS + "  - name: a\n    tx: p1\n    rx: p2\n    burst: {packets: 4, peak: 0.5x}\n",
            ":10: streams[0].burst: a burst with a peak of 0.5x: the average would exceed the peak",
        ),
        (
            PORTS
            + "  - {name: a, tx: p1, rx: p2, burst: {packets: 1, peak: 2x}, stages: [{pass: 1, skip: 1}]}\n",
            ":7: streams[0].stages: goes without burst: both say how frames are spaced",
        ),
        (
            PORTS.replace("p2", "p1") + "  - {name: a, tx: p1, rx: p1}\n",
            ":5: ports[1].name: 'p1' is in line 4 already, as ports[0].name",
        ),
        (
            PORTS + "  - {name: a, tx: p1, rx: p2}\n  - {name: a, tx: p2, rx: p1}\n",
            ":8: streams[1].name: 'a' is in line 7 already, as streams[0].name; each needs its own",
        ),
        (
            PORTS.replace("streams:", "responders:")
            + "  - {name: a, port: p1, protocol: udp-echo}\nclients:\n  - {name: a, port: p2, "
            "protocol: udp-echo-client, target: 1.2.3.4}\n",
            ":9: clients[0].name: 'a' is in line 7 already, as responders[0].name",
        ),
        (
            PORTS
            + "  - {name: a, tx: p1, rx: p2}\nmixes:\n"
            + "  - {name: m, rate: 1 Mpps, shares: {a: 1}}\n  - {name: n, rate: 2 Mpps, shares: {a: 1}}\n",
            ":10: mixes[1].shares.a: line 9 gives the rate of this stream already, by mixes[0].shares.a; a",
        ),
        (
            PORTS
            + "  - {name: a, tx: p1, rx: p2, rate: 1 kpps}\n"
            + "mixes: [{name: m, rate: 1 Mpps, shares: {a: 100 %}}]\n",
            ":8: mixes[0].shares.a: line 7 gives the rate of this stream already, by streams[0].rate",
        ),
        (
            PORTS.replace("10 Gbps", "10 Gb") + "  - {name: a, tx: p1, rx: p2}\n",
            ":4: ports[0].speed: '10 Gb' is not",
        ),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PlanError) as error:
        load_job(job(tmp_path, text))
    assert f"job.yaml{message}" in str(error.value)


@pytest.mark.parametrize(
    ("target", "stream", "message"),
    [
        ("engine", "tx: p3, rx: p2", "stream 'a': tx='p3' is no port of this tester; it has p1, p2"),
        (
            "engine",
            "tx: p1, rx: p2, rate: 11 Gbps",
            "stream 'a': 11 Gbps is more than port 'p1' (10 Gbps) carries",
        ),
        (
            "engine",
            "tx: p1, rx: p2, rate: 5 Gbps, burst: {packets: 4, peak: 2.5x}",
            "stream 'a': the pattern (pass 4 skip 6) has a peak of 24.4140625 Mpps at an average of "
            "9.765625 Mpps; port 'p1' (10 Gbps) carries at most 14.881 Mpps, so an average of 5.95238 Mpps",
        ),
        (
            "tofino",
            "tx: p1, rx: p2, rate: 5 Gbps, burst: {packets: 4, peak: 2.5x}",
            "stream 'a': the pattern (pass 4 skip 6) has a peak of 24.4140625 Mpps",
        ),
        (
            "tofino",
            "tx: p1, rx: p2, rate: 0.001 pps, stages: [{pass: 1, skip: 4294967296}]",
            "stream 'a': the stage pass 1 skip 4,294,967,296: its period of 4,294,967,297 packets does not "
            "fit a register",
        ),
        ("engine", "tx: p1, rx: p2, version: {field: IP.tos, bit: 9}", "stream 'a': bit 9 is not in IP.tos"),
        ("tofino", "tx: p1, rx: p2, headers: Ether / IQ", "stream 'a': there is no header 'IQ'"),
    ],
)
def test_what_cannot_be_planned_is_refused(tmp_path: Path, target: str, stream: str, message: str) -> None:
    file = load_job(job(tmp_path, PORTS + f"  - {{name: a, {stream}}}\n"))
    with pytest.raises(PlanError) as error:
        predict(file, target)
    assert str(error.value).startswith(f"{file.source}: ")
    assert message in str(error.value)


VALUES = st.sampled_from(
    [
        "64",
        "1x",
        "p1",
        "[]",
        "{}",
        "null",
        "-1",
        "1e9 Gbps",
        "Ether / IP",
        '"',
        "1 pps",
        "{packets: 1, peak: 1x}",
    ]
)
KEYS = st.sampled_from(
    [
        "rate",
        "frame_size",
        "headers",
        "burst",
        "stages",
        "payload",
        "seed",
        "definitions",
        "rx",
        "signature",
        "version",
    ]
)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(60)
)
@given(fields=st.dictionaries(KEYS, VALUES, max_size=4), target=st.sampled_from(targets()))
def test_nothing_but_a_plan_error_comes_out(tmp_path: Path, fields: dict[str, str], target: str) -> None:
    given_fields = "".join(f"    {key}: {value}\n" for key, value in {"rx": "p2", **fields}.items())
    with contextlib.suppress(PlanError):
        (prediction,) = predict(
            load_job(job(tmp_path, PORTS + f"  - name: a\n    tx: p1\n{given_fields}")), target
        )
        assert abs(prediction.error) <= Fraction(1, 100)


def shaped(folder: Path, stream: str) -> Stream:
    (only,) = load_job(job(folder, PORTS + f"  - {{name: a, tx: p1, rx: p2, {stream}}}\n")).job.streams
    return only


@pytest.mark.parametrize(
    ("stream", "shaping"),
    [
        (
            "time_pattern: {shape: flash crowd, high: 1 kpps, period: 2 s, hold: 30 %}",
            TimePattern(
                Shape.FLASH_CROWD,
                Rate.parse("1 kpps"),
                Duration(2 * 10**9),
                hold=Ratio.parse("30 %"),
            ),
        ),
        (
            "arrivals: {law: gaps, values: [1 ms, 0], repeat: false}",
            Messages.of_gaps((Duration(10**6), Duration(0)), repeat=False),
        ),
        (
            "messages: {repeat: false, list: [{packets: 2, interval: 1 ms, count: 2}]}",
            Messages((PacketTrain(2, Duration(10**6)),) * 2, repeat=False),
        ),
        (
            "replay: {file: x.pcap, scale: 0.5, repetitions: 0, rewrites: [10.0.0.1=10.0.0.2], "
            "next_hop: false}",
            CaptureReplay("x.pcap", 0.5, 0, ((b"\n\0\0\1", b"\n\0\0\2"),), next_hop=False),
        ),
        ("rate: 5 kpps, replay: {file: x.pcap, gaps: even}", CaptureReplay("x.pcap", None)),
    ],
)
def test_shapes_of_a_stream(tmp_path: Path, stream: str, shaping: object) -> None:
    assert shaped(tmp_path, stream).shaping == shaping


def test_a_rate_that_is_given_goes_before_that_of_the_shape(tmp_path: Path) -> None:
    square = "time_pattern: {shape: square, high: 1 kpps, period: 2 s}"
    assert shaped(tmp_path, square).rate == Rate.parse("500 pps")
    assert shaped(tmp_path, f"rate: 7 kpps, {square}").rate == Rate.parse("7 kpps")


ENDS = PORTS.replace("streams:\n", "")


def test_the_example_with_responders_and_clients() -> None:
    file = load_job("web")
    assert file.job.streams == ()
    backends, users = file.job.ends
    assert isinstance(backends, Responder)
    assert isinstance(users, Clients)
    assert (str(backends.servers), backends.parameters["rto"]) == ("198.19.1.10-198.19.1.13:80", "50 ms")
    assert (str(users.target), str(users.rate)) == ("192.0.2.10:80", "2,000/s")
    assert users.reopen is Reopen.ENDED_WELL
    (served, _), (opened, table) = predict_ends(file, "engine")
    assert (served.opening, served.accepts[0].count) == (None, 4)
    assert opened.opening
    assert (opened.opening.connections, opened.opening.flows) == (4000, 8 * 64_512)
    assert table.summary().startswith("http-client on engine: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("responders:\n  - {name: a, port: p1}\n", r":7: responders\[0\]\.protocol: is missing; give a file"),
        (
            "responders:\n  - {name: a, port: p1, protocol: tcp-server, servers: 10.0.0.1:0}\n",
            r":7: responders\[0\]\.servers: '0' is no range of ports",
        ),
        (
            "clients:\n  - {name: a, port: p1, protocol: tcp-client, target: 10.0.0.1:80, rate: slow}\n",
            r":7: clients\[0\]\.rate: 'slow' is not a frequency",
        ),
        (
            "clients:\n  - {name: a, port: p1, protocol: tcp-client, target: 10.0.0.1:80, reopen: maybe}\n",
            r":7: clients\[0\]\.reopen: .*give ended-well, always or never",
        ),
    ],
)
def test_mistakes_in_responders_and_clients(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        load_job(job(tmp_path, ENDS + text))


def test_a_job_of_nothing_is_refused_when_it_is_planned(tmp_path: Path) -> None:
    with pytest.raises(
        PlanError, match="job 'job' has no stream, responder, clients, path or stamps; it needs at least one"
    ):
        predict(load_job(job(tmp_path, ENDS)), "engine")


def test_a_table_that_a_switch_cannot_hold_is_refused(tmp_path: Path) -> None:
    text = ENDS + "responders:\n  - {name: a, port: p1, protocol: %s}\n"
    assert predict_ends(load_job(job(tmp_path, text % "http-get")), "tofino")
    with pytest.raises(PlanError, match="not on tofino: timers"):
        predict_ends(load_job(job(tmp_path, text % "tcp-server")), "tofino")
