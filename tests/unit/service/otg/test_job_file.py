# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Job files from configurations: they load, send the same, and what has no equivalent is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.commands.main import main
from TesterLibrary.files.job import load_job
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.flows import FlowSpace
from TesterLibrary.service.otg.job_file import job_file
from TesterLibrary.service.otg.json_text import parsed
from TesterLibrary.service.otg.refusal import OtgError

from .configs import ETHERNET, IPV4, config, devices, flow


def text_of(*flows: Any, **more: Any) -> str:
    message = parsed("Config", json.dumps(config(*flows, **more)).encode())
    return job_file(message, "imported", Bandwidth(10**9))


def test_a_job_file_sends_what_the_configuration_says(tmp_path: Path) -> None:
    steps = {"choice": "increment", "increment": {"start": 5, "step": 3, "count": 4}}
    udp = {"src_port": {"choice": "values", "values": [7, 9]}, "dst_port": steps}
    limit = {"choice": "fixed_packets", "fixed_packets": {"packets": 50}}
    endless = flow("endless", rate={"choice": "percentage", "percentage": 12.5})
    pairs = {
        "choice": "weight_pairs",
        "weight_pairs": {"choice": "custom", "custom": [{"size": 100, "weight": 3}, {"size": 900}]},
    }
    layer = {"name": "layer", "port_names": ["one"], "speed": "speed_25_gbps"}
    text = text_of(
        flow(packet=[ETHERNET, IPV4, {"choice": "udp", "udp": udp}], duration=limit),
        endless,
        flow("mixed", size=pairs),
        layer1=[layer],
    )
    path = tmp_path / "imported.yaml"
    path.write_text(text)
    file = load_job(str(path))
    plan = compile_job(file.job, ports=file.ports, gateways=file.gateways, max_streams=9)
    first, second, third = plan.streams
    assert first.departures.total == 50
    assert first.frames_per_second == pytest.approx(10, rel=0.05)  # the first frame is due at once
    assert [FlowSpace.of(first).values(k)["UDP.dport"] for k in range(5)] == [5, 8, 11, 14, 5]
    assert second.frames_per_second == file.ports["one"].speed.frames_per_second(200) / 8
    assert third.mix == {100: 3, 900: 1}
    assert file.ports["one"].speed.bps == 25 * 10**9


@pytest.mark.parametrize(
    ("flows", "more", "said"),
    [
        ([], {"devices": devices()}, "devices: a job file has none"),
        ([], {"captures": [{"name": "c", "port_names": ["one"]}]}, "captures: a job file has none"),
        (
            [flow(packet=[ETHERNET, {"choice": "custom", "custom": {"bytes": "00"}}])],
            {},
            "flows[0]: packet: a custom",
        ),
        ([flow(tx_rx={"choice": "port", "port": {"tx_name": "one"}})], {}, "flows[0]: tx_rx.port.rx_names"),
        ([flow(size={"choice": "increment", "increment": {"start": 64, "end": 70}})], {}, "flows[0]: size"),
        ([flow(payload={"choice": "fixed", "fixed": {"pattern": "ff"}})], {}, "flows[0]: payload"),
        ([flow(name="g"), flow(lost=1)], {}, "flows[1].lost: is not in the model"),
        (
            [flow(rate={"choice": "pps", "pps": 700001}, duration={"choice": "fixed_packets"})],
            {},
            "flows[0]: duration: a stream that ends has gaps of whole nanoseconds",
        ),
    ],
)
def test_what_has_no_equivalent_is_refused(flows: list[Any], more: Any, said: str) -> None:
    with pytest.raises(OtgError) as caught:
        text_of(*flows, **more)
    assert caught.value.errors[0].startswith(said)


def test_the_command_writes_a_file_or_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "otg.json", tmp_path / "job.yaml"
    source.write_text(json.dumps(config(flow())))
    assert main(["import", str(source), "--output", str(target)]) == 0
    assert [stream.name for stream in load_job(str(target)).job.streams] == ["f"]
    source.write_text(json.dumps(config(flow(lost=1))))
    target.unlink()
    assert main(["import", str(source), "--output", str(target)]) == 3
    assert "flows[0].lost: is not in the model" in capsys.readouterr().err
    assert not target.exists()
    assert main(["import", str(tmp_path / "none.json")]) == 3
