# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The loops that fit a switch, against the throughput that norma section 9.1 found or expects."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files.job import load_job
from TesterLibrary.files.paths import resource
from TesterLibrary.model.ports import Port
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.planning.switch.allocation import LoopbackPort, LoopbackPorts, allocate
from TesterLibrary.planning.switch.loops import Loop, end_loops, placed
from TesterLibrary.planning.switch.match_action import MatchAction, match_action
from TesterLibrary.planning.switch.prediction import predict_switch
from TesterLibrary.protocols.checker import load_protocol

PORT = Port("p", Bandwidth(100 * 10**9), b"\2\0\0\0\0\1", 9216)
CHIP = LoopbackPorts()
BY_PORTS = LoopbackPorts(pipeline_pps=None)  # what the paper expects; 128 bytes fall short of it
HEADERS = 14 + 20 + 20 + 4  # bytes of Ethernet, IPv4, TCP and FCS


def push(folder: Path, frame_size: int) -> MatchAction:
    path = folder / "push.yaml"
    text = resource("protocols", "push").read_text()
    path.write_text(text.replace("body: 1460", f"body: {frame_size - HEADERS}"))
    return match_action(load_protocol(str(path)))


def loops(program: MatchAction, ports: int) -> list[Loop]:
    return [loop for number in range(ports) for loop in end_loops(str(number), program, PORT)]


def fill(program: MatchAction, ports: int, chip: LoopbackPorts = CHIP) -> dict[LoopbackPort, list[Loop]]:
    """The loops on each loopback port of a full chip, in which one more port finds no place."""
    with pytest.raises(PlanError):
        allocate([loop.flow for loop in loops(program, ports + 1)], chip)
    places = allocate([loop.flow for loop in loops(program, ports)], chip)
    found: dict[LoopbackPort, list[Loop]] = {}
    for loop in loops(program, ports):
        found.setdefault(places[loop.flow.name], []).append(loop)
    return found


@pytest.mark.parametrize(
    ("frame_size", "tbps"), [(128, 1.6), (256, 2.4), (512, 2.6), (1024, 2.8), (1518, 3.0)]
)
def test_throughput_of_tcp_push(tmp_path: Path, frame_size: int, tbps: float) -> None:
    program = push(tmp_path, frame_size)
    assert program.passes == 1
    assert fill(program, round(10 * tbps), BY_PORTS if frame_size == 128 else CHIP)
    ask, answer, control = end_loops("a", program, PORT)
    assert (control.role, control.queues, control.flow.bps) == ("control", ("syn_ack", "reset"), 10**9)
    assert (ask.role, answer.role, answer.frame_size) == ("ask", "push", frame_size)
    assert ask.flow.pps == answer.flow.pps
    assert answer.flow.bps == pytest.approx(10**11, rel=1e-6)


def test_packets_of_128_bytes_fall_short_by_the_packets_of_a_pipeline(tmp_path: Path) -> None:
    flows = [loop.flow for loop in loops(push(tmp_path, 128), 16)]
    with pytest.raises(PlanError, match=r"48 flows need 2,716 Mpps, 316.2 Mpps more than"):
        allocate(flows, CHIP)


def test_throughput_of_http_is_1_tbps_by_5_5_5_and_1(tmp_path: Path) -> None:
    """The content has 1024 bytes, as in the paper."""
    text = resource("protocols", "http-get").read_text()
    path = tmp_path / "http-get.yaml"
    path.write_text(text.replace("body: 1000", f"body: {1024 - 78}"))
    program = match_action(load_protocol(str(path)))
    found = fill(program, 10)
    assert len(found) == 32
    for pipeline in range(2):
        roles = Counter(placed[0].role for place, placed in found.items() if place.pipeline == pipeline)
        assert roles == {"read": 5, "write": 5, "content": 5, "control": 1}
        (control,) = (
            placed
            for place, placed in found.items()
            if place.pipeline == pipeline and placed[0].role == "control"
        )
        assert [loop.role for loop in control] == ["control"] * 5


def test_template_packets_are_for_each_queue() -> None:
    read, _, content, control = end_loops("a", match_action(load_protocol("http-get")), PORT)
    assert control.queues == ("syn_ack", "fin_ack", "acknowledge", "reset")
    assert placed(read, LoopbackPort(0, 0), CHIP).templates == 0
    assert placed(control, LoopbackPort(0, 0), CHIP).templates == 6  # 120 x 1/5 / 4
    assert placed(content, LoopbackPort(0, 0), CHIP).templates == 12


def test_a_tag_makes_templates_longer_than_64_bytes_longer(tmp_path: Path) -> None:
    for frame_size, size in ((60, 64), (128, 132)):
        _, plain, _ = end_loops("a", push(tmp_path, frame_size), PORT)
        _, tagged, _ = end_loops("a", push(tmp_path, frame_size), PORT, tagged=True)
        assert (plain.frame_size, tagged.frame_size) == (max(64, frame_size), size)
        assert plain.flow.bps == pytest.approx(tagged.flow.bps, rel=1e-6)


def udp(folder: Path, frame_size: int, rate: str) -> str:
    """All 32 ports send to their neighbour."""
    lines = ["version: 1", "name: udp", "ports:"]
    lines += [f"  - {{name: p{n}, speed: 100 Gbps, max_frame_size: 9216}}" for n in range(32)]
    lines += ["streams:"]
    lines += [
        f"  - {{name: s{n}, tx: p{n}, rx: p{n ^ 1}, rate: {rate}, frame_size: {frame_size}}}"
        for n in range(32)
    ]
    path = folder / "udp.yaml"
    path.write_text("\n".join(lines))
    return str(path)


@pytest.mark.parametrize("frame_size", [256, 512, 1024, 1518, 9100])
def test_udp_has_line_rate_from_256_bytes_up(tmp_path: Path, frame_size: int) -> None:
    found = predict_switch(load_job(udp(tmp_path, frame_size, "100 %"))).streams
    assert sum(prediction.rate for prediction in found) * 8 * (frame_size + 20) == 32 * 10**11
    assert not any(prediction.placed.metered or prediction.error for prediction in found)
    assert len({prediction.placed.loopback for prediction in found}) == 32


@pytest.mark.parametrize("frame_size", [64, 128])
def test_udp_has_1_6_tbps_below_and_not_line_rate(tmp_path: Path, frame_size: int) -> None:
    found = predict_switch(load_job(udp(tmp_path, frame_size, "50 %"))).streams
    assert (
        sum(prediction.rate for prediction in found) * 8 * (frame_size + 20)
        >= Fraction(999999, 10**6) * 16 * 10**11
    )
    with pytest.raises(PlanError, match=r"32 flows need .* Mpps, .* more than the 2 pipelines"):
        predict_switch(load_job(udp(tmp_path, frame_size, "100 %")))


def test_a_rate_between_the_meter_s_last_one_and_line_rate_is_exact(tmp_path: Path) -> None:
    found = predict_switch(load_job(udp(tmp_path, 1518, "99.99 %"))).streams
    assert all(abs(prediction.error) <= 1e-9 and not prediction.placed.metered for prediction in found)


def test_a_front_panel_has_32_ports_of_100_gbps(tmp_path: Path) -> None:
    path = Path(udp(tmp_path, 1518, "1 %"))
    text = path.read_text()
    path.write_text(text.replace("streams:", "  - {name: more, speed: 100 Gbps}\nstreams:"))
    with pytest.raises(PlanError, match="front-panel ports: 33 needed, 32 there, 1 too many; split the job"):
        predict_switch(load_job(str(path)))
    path.write_text(text.replace("p3, speed: 100", "p3, speed: 400"))
    with pytest.raises(PlanError, match="port 'p3' of 400 Gbps: one of the front panel has 100 Gbps at most"):
        predict_switch(load_job(str(path)))
