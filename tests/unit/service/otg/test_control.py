# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of a client, in the order in which it makes them, on a tester that does not exist."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.measurement.snapshot import Snapshot, StreamCounters
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.service.otg.refusal import OtgError, OtgFailure
from TesterLibrary.targets.fake import FakeTarget
from TesterLibrary.targets.fake.device import FakeDevice, FakePath

from ..served import until
from .bench import Bench
from .configs import IPV4, config, devices, flow

METRICS = {"enable": True, "loss": True, "timestamps": True, "latency": {"enable": True}}


def limited(name: str = "f", packets: int = 100, pps: int = 1000, **more: Any) -> Any:
    """A flow that ends by itself."""
    duration = {"choice": "fixed_packets", "fixed_packets": {"packets": packets}}
    rate = {"choice": "pps", "pps": pps}
    return flow(name, duration=duration, rate=rate, **{"metrics": METRICS, **more})


def endless(name: str = "f", pps: int = 1000) -> Any:
    return flow(name, rate={"choice": "pps", "pps": pps}, metrics=METRICS)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def ended(bench: Bench, *names: str) -> dict[str, Any]:
    """Metrics once all flows have stopped by themselves."""
    for _ in range(100):
        found = bench.flows(*names)
        if all(metric["transmit"] == "stopped" for metric in found.values()):
            return found
        bench.pass_time(0.1)
    raise AssertionError(found)


def test_a_flow_with_an_end_stops_by_itself_and_is_exact(bench: Bench) -> None:
    assert bench.call("SetConfig", **config(limited(), limited("g", 30))) == {"warnings": []}
    assert bench.flows()["f"]["transmit"] == "stopped"
    assert bench.transmit("start") == {"warnings": []}
    metrics = ended(bench)
    assert (metrics["f"]["frames_tx"], metrics["f"]["frames_rx"], metrics["f"]["loss"]) == (100, 100, 0.0)
    assert (metrics["f"]["bytes_tx"], metrics["f"]["bytes_rx"]) == (20_000, 20_000)
    assert metrics["g"]["frames_rx"] == 30
    assert metrics["f"]["port_tx"] == "one"
    assert 0 < metrics["f"]["latency"]["minimum_ns"] <= metrics["f"]["latency"]["average_ns"]
    assert metrics["f"]["timestamps"]["first_timestamp_ns"] < metrics["f"]["timestamps"]["last_timestamp_ns"]
    ports = bench.ports()
    assert (ports["one"]["frames_tx"], ports["two"]["frames_rx"]) == (130, 130)
    assert (ports["one"]["bytes_tx"], ports["two"]["bytes_rx"]) == (26_000, 26_000)
    assert bench.flows() == metrics, "counters are final"


def test_rates_are_told_while_a_flow_is_sending(bench: Bench) -> None:
    bench.call("SetConfig", **config(endless("fast", 1000), endless("slow", 1)))
    bench.transmit("start")
    bench.pass_time(0.1)
    for _ in range(25):
        found = bench.flows()
        assert 700 <= found["fast"]["frames_tx_rate"] <= 1001
        assert 0 < found["slow"]["frames_rx_rate"] <= 1.4
        assert found["fast"]["transmit"] == "started"
        bench.pass_time(0.1)
    bench.transmit("stop")
    assert bench.flows()["fast"]["frames_tx_rate"] == 0
    assert bench.flows()["fast"]["frames_tx"] == bench.flows()["fast"]["frames_rx"] > 2000


def test_planted_loss_is_found(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FakeTarget(device=FakeDevice(FakePath(loss=Ratio(Fraction(1, 4))))))
    bench.call("SetConfig", **config(limited(packets=1000)))
    bench.transmit("start")
    metric = ended(bench)["f"]
    lost = metric["frames_tx"] - metric["frames_rx"]
    assert lost > 100
    assert metric["loss"] == pytest.approx(100 * lost / 1000)


def update(bench: Bench, name: str, **flows: Any) -> Any:
    """Changes a property of flows."""
    changed = [flow(each, **{name: value}) for each, value in flows.items()]
    return bench.call("UpdateConfig", choice="flows", flows={"property_names": [name], "flows": changed})


def test_an_update_that_is_refused_has_changed_no_flow(bench: Bench) -> None:
    """Not even those before the one for which it is refused."""
    bench.call("SetConfig", **config(limited(), endless("sending")))
    bench.transmit("start", "sending")
    size = {"choice": "fixed", "fixed": 500}
    with pytest.raises(OtgError, match=r"flows\[1\]: its size cannot change while it is sending"):
        update(bench, "size", f=size, sending=size)
    bench.transmit("start", "f")
    assert ended(bench, "f")["f"]["bytes_tx"] == 20_000


def test_rates_that_a_port_does_not_carry_together_are_refused_while_it_sends(bench: Bench) -> None:
    bench.call("SetConfig", **config(endless("f"), endless("g")))
    bench.transmit("start")
    rates = {"choice": "percentage", "percentage": 70}
    with pytest.raises(OtgError, match="140"):
        update(bench, "rate", f=rates, g=rates)
    bench.pass_time(0.1)
    before = bench.flows()["f"]["frames_tx"]
    bench.pass_time(1)
    assert bench.flows()["f"]["frames_tx"] - before == pytest.approx(1000, abs=50)
    update(bench, "rate", f=rates)
    with pytest.raises(OtgError, match="140"):
        update(bench, "rate", g=rates)


class Holding(FakeTarget):
    """Its device keeps the last ten frames of each stream for a second, as one that stands still."""

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        found = super().snapshot(jobs, buckets=buckets)
        return replace(found, streams=tuple(self._seen(s, found.taken_at_ns) for s in found.streams))

    def _seen(self, stream: StreamCounters, now_ns: int) -> StreamCounters:
        is_held = stream.tx_packets > 10 and (stream.sending or now_ns - stream.last_tx_ns < 10**9)
        return replace(stream, rx_packets=stream.rx_packets - 10) if is_held else stream


class Repeating(Holding):
    """Its device has lost a frame of each stream, and sends another one again and again."""

    def _seen(self, stream: StreamCounters, now_ns: int) -> StreamCounters:
        copies = now_ns // 10**7
        order = replace(stream.order, duplicated=copies)
        return replace(stream, rx_packets=stream.rx_packets - 1 + copies, order=order)


def test_late_frames_are_waited_for_as_in_a_trial(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Holding())
    bench.call("SetConfig", **config(limited(), endless("g")))
    bench.transmit("start")
    assert ended(bench, "f")["f"]["frames_rx"] == 100
    begun_s = bench.now_s()
    bench.transmit("stop")
    assert bench.now_s() - begun_s < 0.5, "it returns before all has come"
    assert bench.flows("g")["g"]["transmit"] == "started", "and says that its counters are not final"
    found = ended(bench, "g")["g"]
    assert (found["frames_rx"], found["loss"]) == (found["frames_tx"], 0.0)


def test_frames_that_are_lost_are_waited_for_once(tmp_path: Path) -> None:
    """Not again for each flow, when flows are started anew or another configuration is set."""
    bench = Bench(tmp_path, FakeTarget(device=FakeDevice(FakePath(loss=Ratio(Fraction(1, 4))))))
    flows = [endless(f"f{number}", 100) for number in range(5)]
    bench.call("SetConfig", **config(*flows))
    bench.transmit("start")
    bench.pass_time(1)
    bench.transmit("stop")
    ended(bench)
    begun_s = bench.now_s()
    bench.transmit("start")
    assert bench.now_s() - begun_s < 0.5
    bench.pass_time(1)
    begun_s = bench.now_s()
    bench.call("SetConfig", **config(*flows))
    assert 2 <= bench.now_s() - begun_s < 2.5


def test_a_device_that_repeats_frames_for_ever_keeps_nobody(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Repeating())
    bench.call("SetConfig", **config(endless()))
    bench.transmit("start")
    bench.pass_time(1)
    begun_s = bench.now_s()
    bench.transmit("stop")
    assert bench.now_s() - begun_s < 6
    found = bench.flows()["f"]
    assert found["transmit"] == "stopped"
    assert found["loss"] == pytest.approx(100 / found["frames_tx"])


def test_a_second_start_says_that_counters_begin_anew(bench: Bench) -> None:
    bench.call("SetConfig", **config(flow("f", duration={"choice": "continuous"}), flow("g")))
    assert bench.transmit("start", "f") == {"warnings": []}
    anew = "f: started before, and not over; begun anew, with counters of 0"
    assert bench.transmit("start", "f", "g") == {"warnings": [anew]}


def test_flows_start_and_stop_by_name(bench: Bench) -> None:
    bench.call("SetConfig", **config(endless("f"), endless("g")))
    bench.transmit("start", "f")
    bench.pass_time(0.5)
    found = bench.flows()
    assert (found["f"]["transmit"], found["g"]["transmit"], found["g"]["frames_tx"]) == (
        "started",
        "stopped",
        0,
    )
    bench.transmit("start", "g")
    bench.transmit("stop", "f")
    bench.pass_time(0.5)
    found = bench.flows()
    assert (found["f"]["transmit"], found["g"]["transmit"]) == ("stopped", "started")
    bench.transmit("start", "f")
    assert bench.flows()["f"]["frames_tx"] < found["f"]["frames_tx"], "counters begin anew"


def test_a_part_of_many_flows_is_refused(bench: Bench) -> None:
    bench.call("SetConfig", **config(*(limited(f"f{n}", 3) for n in range(65))))
    with pytest.raises(OtgError, match="more than 64 flows with one duration are sent as one"):
        bench.transmit("start", "f1")
    bench.transmit("start")
    assert {metric["frames_rx"] for metric in ended(bench).values()} == {3}


def test_what_is_refused_has_changed_nothing(bench: Bench) -> None:
    bench.call("SetConfig", **config(endless()))
    before = bench.call("GetConfig")
    bench.transmit("start")
    for wrong in (config(flow(size={"choice": "fixed", "fixed": 3})), config(limited(packets=5), lags=[{}])):
        with pytest.raises(OtgError):
            bench.call("SetConfig", **wrong)
    same = dict(IPV4["ipv4"], dst=IPV4["ipv4"]["src"])
    with pytest.raises(OtgError, match=r"flows\[0\]: stream 'f': source and destination"):
        bench.call(
            "SetConfig", **config(flow(packet=[{"choice": "ethernet"}, {"choice": "ipv4", "ipv4": same}]))
        )
    assert bench.call("GetConfig") == before
    bench.pass_time(0.2)
    assert bench.flows()["f"]["transmit"] == "started"


def test_an_empty_configuration_cleans_up(bench: Bench) -> None:
    bench.call(
        "SetConfig", **config(endless(), captures=[{"name": "c", "port_names": ["two"]}], devices=devices())
    )
    bench.transmit("start")
    bench.call("SetConfig")
    assert bench.call("GetConfig") == {}
    assert not bench.tester.air.runs
    assert not bench.target.snapshot().streams
    assert bench.call("GetMetrics", choice="flow", flow={})["choice"] == "flow_metrics"


def test_more_than_a_port_carries_is_refused_at_the_start(bench: Bench) -> None:
    whole = {"choice": "percentage", "percentage": 80}
    bench.call("SetConfig", **config(flow("f", rate=whole), flow("g", rate=whole)))
    bench.transmit("start", "f")
    with pytest.raises(OtgError, match="share port 'p1'"):
        bench.transmit("start", "g")


def test_what_a_client_names_is_no_line_of_the_log(tmp_path: Path) -> None:
    """The service takes lines of it for refusals: a status of 30 digits failed its database."""
    bench = Bench(tmp_path, FakeTarget(device=FakeDevice(FakePath(loss=Ratio(Fraction(1, 10)))), stalls=[1]))
    forged = f"f\nrefused {10**30}: SetConfig: forged\x1b[2J"
    bench.call("SetConfig", **config({**limited(packets=1000), "name": forged}))
    bench.transmit("start", forged)
    with pytest.raises(OtgFailure):
        ended(bench)
    bench.transmit("stop", forged)
    bench.generator.note("GetCapture", OtgError(["y" * 10**7]))
    until(lambda: len(bench.told) > 1)
    assert all(said.isprintable() and len(said) < 3000 for said in bench.told)


def test_a_tester_that_lost_frames_tells_no_loss(tmp_path: Path) -> None:
    """How much arrived is not said, neither as frames nor as loss; what was sent is."""
    bench = Bench(tmp_path, FakeTarget(device=FakeDevice(FakePath(loss=Ratio(Fraction(1, 10)))), stalls=[1]))
    bench.call("SetConfig", **config(limited(packets=1000)))
    bench.transmit("start")
    with pytest.raises(OtgFailure, match="how much of it arrived is not to be trusted: a worker did not run"):
        ended(bench)
    assert bench.flows(metric_names=["frames_tx", "transmit"])["f"]["frames_tx"] == 1000
    assert any("not to be trusted" in warning for warning in bench.transmit("stop")["warnings"])
    until(lambda: bench.told)


def test_a_tester_that_is_too_slow_says_so(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FakeTarget(tester_limit=500))
    bench.call("SetConfig", **config(endless(pps=1000)))
    bench.transmit("start")
    bench.pass_time(2)
    (warning,) = bench.transmit("stop")["warnings"]
    assert "tx limited by the tester" in warning
    assert "of 100 % of the rate" in warning


def test_a_trial_is_judged_by_the_speed_that_its_port_had(bench: Bench, tmp_path: Path) -> None:
    """And not by that of the configuration which ends it."""
    gigabit = {"name": "l", "port_names": ["one", "two"], "speed": "speed_1_gbps"}
    bench.call("SetConfig", **config(endless(pps=1000), layer1=[gigabit]))
    bench.transmit("start")
    bench.pass_time(1)
    bench.call("SetConfig", **config(layer1=[{**gigabit, "speed": "speed_100_gbps"}]))
    (record,) = [json.loads(line) for line in (tmp_path / "trials.jsonl").read_text().splitlines()]
    assert Fraction(record["load"]) == Fraction(1000 * 8 * 220, 10**9)


def test_a_capture_has_each_frame_as_long_as_on_the_line(bench: Bench) -> None:
    capture = {"name": "c", "port_names": ["two"]}
    bench.call("SetConfig", **config(limited(packets=5), captures=[capture]))
    with pytest.raises(OtgError, match="no capture was started"):
        bench.call("GetCapture", port_name="two")
    state = {"choice": "capture", "capture": {"state": "start"}}
    bench.call("SetControlState", choice="port", port=state)
    assert bench.ports()["two"]["capture"] == "started"
    assert "capture" not in bench.ports()["one"]
    bench.transmit("start")
    ended(bench)
    file = bench.call("GetCapture", port_name="two")
    assert bench.ports()["two"]["capture"] == "stopped"
    frames, place = [], 24
    while place < len(file):
        kept, original = struct.unpack_from("<II", file, place + 8)
        assert kept == original == 200
        frames.append(file[place + 16 : place + 16 + kept])
        place += 16 + kept
    assert len(frames) == 5
    assert all(zlib.crc32(frame[:-4]) == int.from_bytes(frame[-4:], "little") for frame in frames)
    assert bench.call("GetCapture", port_name="two") == file


def test_columns_are_those_asked_for(bench: Bench) -> None:
    bench.call("SetConfig", **config(limited()))
    assert set(bench.ports(column_names=["frames_tx", "link"])["one"]) == {"name", "frames_tx", "link"}
    assert set(bench.flows(metric_names=["frames_rx"])["f"]) == {"name", "frames_rx"}
    assert set(bench.ports(port_names=["two"])) == {"two"}
    for wrong in (
        {"choice": "port", "port": {"port_names": ["x"]}},
        {"choice": "flow", "flow": {"flow_names": ["x"]}},
    ):
        with pytest.raises(OtgError, match=r"_names\[0\]: 'x' is no"):
            bench.call("GetMetrics", **wrong)


def test_flows_without_metrics_are_not_listed(bench: Bench) -> None:
    bench.call("SetConfig", **config(flow("quiet"), limited()))
    assert set(bench.flows()) == {"f"}


def test_a_rate_changes_while_a_flow_is_sending(bench: Bench) -> None:
    bench.call("SetConfig", **config(endless(pps=100)))
    bench.transmit("start")
    bench.pass_time(1)
    changed = {"property_names": ["rate"], "flows": [endless(pps=1000)]}
    bench.call("UpdateConfig", choice="flows", flows=changed)
    assert bench.call("GetConfig")["flows"][0]["rate"]["pps"] == 1000
    sent = bench.flows()["f"]["frames_tx"]
    bench.pass_time(1)
    assert bench.flows()["f"]["frames_tx"] - sent > 900
    with pytest.raises(OtgError, match="stop it first"):
        bench.call("UpdateConfig", choice="flows", flows={"property_names": ["size"], "flows": [endless()]})


def test_flows_are_appended_and_deleted_beside_others(bench: Bench) -> None:
    bench.call("SetConfig", **config(endless("f")))
    bench.transmit("start")
    bench.call("AppendConfig", config_append_list=[{"choice": "flows", "flows": [limited("g", 10)]}])
    bench.transmit("start", "g")
    bench.pass_time(1)
    found = bench.flows()
    assert (found["f"]["transmit"], found["g"]["frames_rx"]) == ("started", 10)
    with pytest.raises(OtgError, match="names are unique"):
        bench.call("AppendConfig", config_append_list=[{"choice": "flows", "flows": [limited("f")]}])
    bench.call("DeleteConfig", config_delete_list=[{"choice": "flows", "flows": ["g"]}])
    assert set(bench.flows()) == {"f"}
    assert [each["name"] for each in bench.call("GetConfig")["flows"]] == ["f"]


def test_devices_know_each_other(bench: Bench) -> None:
    sides = {"tx_names": ["ipv4 1"], "rx_names": ["ipv4 2"]}
    between = limited(tx_rx={"choice": "device", "device": sides}, packet=[{"choice": "ethernet"}, IPV4])
    bench.call("SetConfig", **config(between, devices=devices()))
    (known, _) = bench.call("GetStates", choice="ipv4_neighbors", ipv4_neighbors={})["ipv4_neighbors"]
    assert known == {
        "ethernet_name": "ethernet 1",
        "ipv4_address": "10.9.0.2",
        "link_layer_address": "00:11:22:33:44:66",
    }
    bench.transmit("start")
    assert ended(bench)["f"]["frames_rx"] == 100


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({}, "choice: is required"),
        ({"choice": "traffic"}, "traffic.choice: is required"),
        (
            {"choice": "traffic", "traffic": {"choice": "flow_transmit"}},
            "traffic.flow_transmit.state: is required",
        ),
        (
            {
                "choice": "traffic",
                "traffic": {"choice": "flow_transmit", "flow_transmit": {"state": "pause"}},
            },
            "traffic.flow_transmit.state: pause is not supported; give one of start, stop",
        ),
        (
            {"choice": "port", "port": {"choice": "link"}},
            "port.choice: link is not supported; give one of capture",
        ),
    ],
)
def test_a_state_that_cannot_be(bench: Bench, state: Any, said: str) -> None:
    with pytest.raises(OtgError) as caught:
        bench.call("SetControlState", **state)
    (error,) = caught.value.errors
    assert error.startswith(said)


def test_every_action_is_refused(bench: Bench) -> None:
    with pytest.raises(OtgError, match="no action is supported"):
        bench.call("SetControlAction", choice="port")


def test_the_version_is_a_range_for_clients(bench: Bench) -> None:
    assert bench.call("GetVersion")["api_spec_version"] == ">=1.0.0,<2.0.0"


def test_every_trial_is_recorded(bench: Bench, tmp_path: Path) -> None:
    bench.call("SetConfig", **config(limited()))
    bench.transmit("start")
    ended(bench)
    bench.generator.close()
    assert len((tmp_path / "trials.jsonl").read_text().splitlines()) == 1
