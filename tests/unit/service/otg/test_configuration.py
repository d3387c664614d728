# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The results of reading a configuration: frames, rates, ends, and refusals with their paths."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.layers.vxlan import VXLAN

from TesterLibrary.planning.flows import FlowSpace
from TesterLibrary.service.otg.configuration import settings_of
from TesterLibrary.service.otg.json_text import parsed
from TesterLibrary.service.otg.refusal import OtgError
from TesterLibrary.service.otg.settings import FlowSetting, Settings

from ....examples import examples
from .bench import Bench, laboratory
from .configs import ETHERNET, IPV4, PORTS, SOURCE, TARGET, config, devices, flow
from .configs import UDP as UDP_HEADER


def made(*flows: Any, macs: Any = None, **more: Any) -> Settings:
    return settings_of(
        parsed("Config", json.dumps(config(*flows, **more)).encode()), laboratory(), macs or {}
    )


def one(**more: Any) -> FlowSetting:
    (setting,) = made(flow(**more)).flows.values()
    return setting


def refused(*flows: Any, **more: Any) -> list[str]:
    with pytest.raises(OtgError) as caught:
        made(*flows, **more)
    return list(caught.value.errors)


def frames(setting: FlowSetting, directory: Path, count: int) -> list[Ether]:
    """The first frames of a flow."""
    plan = Bench(directory).tester.check([part.stream for part in setting.parts])
    space = FlowSpace.of(plan.streams[0])
    return [Ether(space.frame(number)) for number in range(count)]


def test_headers_are_those_of_the_model(tmp_path: Path) -> None:
    vlan = {
        "choice": "vlan",
        "vlan": {"id": {"choice": "value", "value": 100}, "priority": {"choice": "value", "value": 5}},
    }
    ports = {"src_port": {"choice": "value", "value": 9}, "dst_port": {"choice": "value", "value": 4789}}
    vxlan = {"choice": "vxlan", "vxlan": {"vni": {"choice": "value", "value": 77}}}
    stack = [ETHERNET, vlan, IPV4, {"choice": "udp", "udp": ports}, vxlan, ETHERNET, IPV4, UDP_HEADER]
    (frame,) = frames(one(packet=stack), tmp_path, 1)
    assert (frame.src, frame.dst, len(frame)) == (SOURCE, TARGET, 196)
    assert (frame[Dot1Q].vlan, frame[Dot1Q].prio, frame[UDP].dport, frame[VXLAN].vni) == (100, 5, 4789, 77)
    assert frame[VXLAN].payload[IP].dst == "10.0.0.2"


def test_missing_values_are_those_of_the_model(tmp_path: Path) -> None:
    (frame,) = frames(one(), tmp_path, 1)
    assert (frame[UDP].sport, frame[UDP].dport, frame[IP].ttl, frame[IP].tos) == (0, 0, 64, 0)
    assert frame[UDP].len == 200 - 4 - 14 - 20


def test_values_change_from_frame_to_frame(tmp_path: Path) -> None:
    steps = {"start": 7000, "step": 5, "count": 3}
    ports = {
        "src_port": {"choice": "values", "values": [5, 9]},
        "dst_port": {"choice": "decrement", "decrement": steps},
    }
    found = frames(one(packet=[ETHERNET, IPV4, {"choice": "udp", "udp": ports}]), tmp_path, 4)
    assert [frame[UDP].sport for frame in found] == [5, 9, 5, 9]
    assert [frame[UDP].dport for frame in found] == [7000, 6995, 6990, 7000]


def test_a_class_of_traffic_is_built_from_its_parts(tmp_path: Path) -> None:
    points = {"phb": {"choice": "values", "values": [10, 46]}, "ecn": {"choice": "value", "value": 1}}
    ipv4 = {"choice": "ipv4", "ipv4": {**IPV4["ipv4"], "priority": {"choice": "dscp", "dscp": points}}}
    found = frames(one(packet=[ETHERNET, ipv4, UDP_HEADER]), tmp_path, 2)
    assert [frame[IP].tos for frame in found] == [10 << 2 | 1, 46 << 2 | 1]


def test_random_values_repeat_after_their_count(tmp_path: Path) -> None:
    drawn = {"min": 100, "max": 200, "seed": 5, "count": 3}
    udp = {"choice": "udp", "udp": {"src_port": {"choice": "random", "random": drawn}}}
    ports = [frame[UDP].sport for frame in frames(one(packet=[ETHERNET, IPV4, udp]), tmp_path, 6)]
    assert ports[:3] == ports[3:]
    assert all(100 <= port <= 200 for port in ports)


@pytest.mark.parametrize(
    ("duration", "packets", "seconds"),
    [
        ({"choice": "fixed_packets", "fixed_packets": {"packets": 7}}, 7, None),
        ({"choice": "fixed_seconds", "fixed_seconds": {"seconds": 0.1}}, None, 0.1),
        ({"choice": "continuous", "continuous": {}}, None, None),
        ({"choice": "burst", "burst": {"bursts": 3, "packets": 4}}, 12, None),
        ({"choice": "burst", "burst": {"packets": 4}}, None, None),
    ],
)
def test_when_a_flow_ends(duration: Any, packets: int | None, seconds: float | None) -> None:
    (part,) = one(duration=duration).parts
    assert part.limit.packets == packets
    assert (part.limit.duration and part.limit.duration.seconds) == seconds


def test_numbers_mean_what_was_written() -> None:
    """The model has numbers of 32 bits, in which 0.1 is none."""
    (part,) = one(rate={"choice": "percentage", "percentage": 0.1}).parts
    assert part.stream.rate.value == Fraction(1, 1000)


def test_a_flow_without_room_for_a_signature_is_known_by_its_headers() -> None:
    tcp = {"choice": "tcp", "tcp": {}}
    short = one(packet=[ETHERNET, IPV4, tcp], size={"choice": "fixed", "fixed": 64})
    assert not short.parts[0].stream.signature
    latency = {"metrics": {"enable": True, "latency": {"enable": True}}}
    (error,) = refused(flow(packet=[ETHERNET, IPV4, tcp], size={"choice": "fixed", "fixed": 64}, **latency))
    assert error.startswith("flows[0].metrics.latency: frames of 64 bytes have no room")
    assert "at least 74 bytes" in error


def test_parts_that_flows_share_are_refused_in_each() -> None:
    wrong = {"size": {"choice": "fixed", "fixed": 20}, "rate": {"choice": "pps", "pps": 0}}
    places = [error.partition(":")[0] for error in refused(flow("a", **wrong), flow("b", **wrong))]
    assert places == ["flows[0].size", "flows[0].rate", "flows[1].size", "flows[1].rate"]


def test_flows_of_a_port_do_not_begin_at_once() -> None:
    phases = [each.parts[0].stream.phase for each in made(*(flow(f"f{n}") for n in range(4))).flows.values()]
    assert phases == [Fraction(n, 4) for n in range(4)]


def test_devices_have_their_own_addresses() -> None:
    sides = {"tx_names": ["ipv4 2"], "rx_names": ["ipv4 1"]}
    between = flow(
        tx_rx={"choice": "device", "device": sides}, packet=[{"choice": "ethernet", "ethernet": {}}, IPV4]
    )
    waiting = made(between, devices=devices()).flows["f"]
    assert (waiting.tx, waiting.rx, waiting.unresolved) == ("two", "one", "ipv4 2")
    found = made(between, devices=devices(), macs={"ipv4 2": bytes.fromhex(SOURCE.replace(":", ""))}).flows[
        "f"
    ]
    assert found.unresolved == ""
    assert dict(found.parts[0].stream.headers.headers[0].fields)["dst"] == SOURCE  # type: ignore[union-attr]


def test_a_flow_between_many_devices_takes_turns() -> None:
    more = devices()
    more[0]["ethernets"][0]["ipv4_addresses"].append(
        {
            "name": "third",
            "address": "10.9.0.7",
            "gateway": "10.9.0.2",
            "gateway_mac": {"choice": "value", "value": TARGET},
        }
    )
    sides = {"tx_names": ["ipv4 1", "third"], "rx_names": ["ipv4 2"]}
    limit = {"choice": "fixed_packets", "fixed_packets": {"packets": 5}}
    setting = made(flow(tx_rx={"choice": "device", "device": sides}, duration=limit), devices=more).flows["f"]
    assert [part.limit.packets for part in setting.parts] == [3, 2]
    assert [part.stream.rate.value for part in setting.parts] == [5, 5]
    assert [part.stream.phase for part in setting.parts] == [0, Fraction(1, 2)]


@pytest.mark.parametrize(
    ("changes", "path", "said"),
    [
        ({"size": {"choice": "fixed", "fixed": 60}}, "flows[0].size", "64 to 16128"),
        (
            {"size": {"choice": "random", "random": {"min": 64, "max": 1518}}},
            "flows[0].size",
            "more than 256",
        ),
        ({"rate": {"choice": "pps", "pps": 0}}, "flows[0].rate", "not above 0"),
        (
            {"duration": {"choice": "continuous", "continuous": {"gap": 40}}},
            "flows[0].duration",
            "lower rate",
        ),
        (
            {"duration": {"choice": "fixed_packets", "fixed_packets": {"packets": 0}}},
            "flows[0].duration",
            "at least 1",
        ),
        (
            {"tx_rx": {"choice": "port", "port": {"tx_name": "three"}}},
            "flows[0].tx_rx.port.tx_name",
            "one, two",
        ),
        ({"tx_rx": {"choice": "port", "port": {}}}, "flows[0].tx_rx.port.tx_name", "is required"),
        (
            {"packet": [{"choice": "custom", "custom": {"bytes": "0x"}}]},
            "flows[0].packet[0].custom",
            "hexadecimal",
        ),
        ({"payload": {"choice": "fixed", "fixed": {"repeat": False}}}, "flows[0].payload", "give true"),
        ({"name": "one"}, "flows[0].name", "names are unique"),
    ],
)
def test_a_refusal_says_where_and_what_is_allowed(changes: Any, path: str, said: str) -> None:
    (error,) = refused(flow(**changes))
    assert error.startswith(path)
    assert said in error


def test_ports_are_found_by_location_name_or_interface() -> None:
    for location in ("localhost:5555", "p1", "eth1"):
        ports = [{"name": "one", "location": location}, PORTS[1]]
        message = parsed("Config", json.dumps({"ports": ports}).encode())
        assert settings_of(message, laboratory(), {}).ports["one"].port == "p1"
    (error,) = refused(ports=[{"name": "one", "location": "10.0.0.1;1;1"}])
    assert (
        error == "ports[0].location: '10.0.0.1;1;1' is no port of this tester; "
        "there are localhost:5555, p1, p2, eth1"
    )


def test_what_names_a_port_of_a_wrong_location_is_not_called_wrong() -> None:
    (error,) = refused(flow(), ports=[{"name": "one", "location": "nowhere"}, PORTS[1]])
    assert error.startswith("ports[0].location: 'nowhere'")


def test_a_port_without_a_speed_gets_that_of_the_configuration() -> None:
    layer = {"name": "layer", "port_names": ["one"], "speed": "speed_1_gbps"}
    assert made(layer1=[layer]).tester_ports["p1"].speed.bps == 10**9


_SMALL = st.integers(1, 60_000)


@profile(max_examples=examples(60), deadline=None)
@given(
    st.integers(80, 1518),
    _SMALL,
    st.integers(1, 812_743),  # what the line carries of the longest frames
    st.lists(st.integers(0, 65535), min_size=1, max_size=6),
    st.tuples(st.integers(0, 65535), st.integers(1, 300), st.integers(1, 50)),
)
def test_any_right_flow_is_sent_as_it_was_written(
    size: int, packets: int, pps: int, values: list[int], steps: tuple[int, int, int]
) -> None:
    start, step, count = steps
    udp = {
        "src_port": {"choice": "values", "values": values},
        "dst_port": {"choice": "increment", "increment": {"start": start, "step": step, "count": count}},
    }
    setting = one(
        packet=[ETHERNET, IPV4, {"choice": "udp", "udp": udp}],
        size={"choice": "fixed", "fixed": size},
        rate={"choice": "pps", "pps": pps},
        duration={"choice": "fixed_packets", "fixed_packets": {"packets": packets}},
    )
    (part,) = setting.parts
    assert (part.limit.packets, part.stream.rate.value, part.stream.frame_size.mean) == (packets, pps, size)
    plan = Bench(Path("unused")).tester.check([part.stream])
    space = FlowSpace.of(plan.streams[0])
    for number in (0, 1, 5):
        frame = Ether(space.frame(number))
        assert len(frame) == size - 4
        assert frame[UDP].sport == values[number % len(values)]
        assert frame[UDP].dport == (start + number % count * step) % 65536
        again = frame.copy()
        del again[UDP].chksum, again[IP].chksum
        assert bytes(again) == bytes(frame), "checksums are right"
