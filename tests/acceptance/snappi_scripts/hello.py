# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The first script of a user of snappi: UDP both ways, port metrics, captures. Run by snappi's Python."""

from __future__ import annotations

import struct
import sys
import time

import snappi  # type: ignore[import-not-found]

LOCATION, TRANSPORT = sys.argv[1:]
PACKETS = 1000

api = snappi.api(location=LOCATION, transport=TRANSPORT, verify=False, version_check=True)
api.request_timeout = 60
config = api.config()
p1, p2 = config.ports.port(name="p1", location="localhost:5555").port(name="p2", location="localhost:5556")
layer = config.layer1.layer1(name="ly")[-1]
layer.speed = layer.SPEED_1_GBPS
layer.port_names = [p1.name, p2.name]
capture = config.captures.capture(name="cp")[-1]
capture.port_names = [p1.name, p2.name]

f1, f2 = config.flows.flow(name="flow p1->p2").flow(name="flow p2->p1")
f1.tx_rx.port.tx_name, f1.tx_rx.port.rx_name = p1.name, p2.name
f2.tx_rx.port.tx_name, f2.tx_rx.port.rx_names = p2.name, [p1.name]
f1.size.fixed, f2.size.fixed = 128, 256
for flow in config.flows:
    flow.duration.fixed_packets.packets = PACKETS
    flow.rate.pps = 1000
    flow.metrics.enable = flow.metrics.loss = flow.metrics.latency.enable = True
eth1, ip1, udp1 = f1.packet.ethernet().ipv4().udp()
eth2, ip2, udp2 = f2.packet.ethernet().ipv4().udp()
eth1.src.value, eth1.dst.value = "00:AA:00:00:04:00", "00:AA:00:00:00:AA"
eth2.src.value, eth2.dst.value = "00:AA:00:00:00:AA", "00:AA:00:00:04:00"
ip1.src.value, ip1.dst.value = "10.0.0.1", "10.0.0.2"
ip2.src.value, ip2.dst.value = "10.0.0.2", "10.0.0.1"
udp1.src_port.increment.start, udp1.src_port.increment.step, udp1.src_port.increment.count = 5000, 2, 10
udp2.src_port.increment.start, udp2.src_port.increment.step, udp2.src_port.increment.count = 6000, 4, 10
udp1.dst_port.values = [4000, 4044, 4060, 4074]
udp2.dst_port.values = [8000, 8044, 8060, 8074, 8082, 8084]

api.set_config(config)
assert [flow.name for flow in api.get_config().flows] == [f1.name, f2.name]
state = api.control_state()
state.port.capture.state = state.port.capture.START
api.set_control_state(state)
state = api.control_state()
state.traffic.flow_transmit.state = state.traffic.flow_transmit.START
api.set_control_state(state)

request = api.metrics_request()
request.flow.flow_names = []
deadline = time.monotonic() + 30
rates = []
while True:
    metrics = api.get_metrics(request).flow_metrics
    if all(metric.transmit == metric.STOPPED for metric in metrics):
        break
    rates += [
        metric.frames_tx_rate
        for metric in metrics
        if metric.transmit == metric.STARTED and metric.frames_tx < PACKETS
    ]
    assert time.monotonic() < deadline, metrics
    time.sleep(0.1)
assert rates
assert all(rate > 0 for rate in rates), rates
for metric in metrics:
    print(metric.name, metric.frames_tx, metric.frames_rx, metric.loss)
    assert (metric.frames_tx, metric.frames_rx, metric.loss) == (PACKETS, PACKETS, 0.0)
    assert 0 < metric.latency.minimum_ns <= metric.latency.average_ns <= metric.latency.maximum_ns

request = api.metrics_request()
request.port.port_names = [port.name for port in config.ports]
request.port.column_names = [request.port.FRAMES_TX, request.port.FRAMES_RX, request.port.BYTES_RX]
for metric, size in zip(api.get_metrics(request).port_metrics, (256, 128), strict=True):
    assert (metric.frames_tx, metric.frames_rx, metric.bytes_rx) == (PACKETS, PACKETS, PACKETS * size), metric

for port, size, ports in ((p1, 256, udp2.dst_port.values), (p2, 128, udp1.dst_port.values)):
    request = api.capture_request()
    request.port_name = port.name
    file = api.get_capture(request).read()
    place, found = 24, []
    while place < len(file):
        (length,) = struct.unpack_from("<I", file, place + 8)
        frame = file[place + 16 : place + 16 + length]
        assert (len(frame), frame[23]) == (size, 17)
        found.append(struct.unpack_from(">H", frame, 36)[0])
        place += 16 + length
    assert found == [ports[number % len(ports)] for number in range(PACKETS)]

try:
    config.flows[0].size.fixed = 70
    config.flows[0].packet.ethernet().ipv4().tcp()
    api.set_config(config)
except Exception as refused:
    error = refused.args[0]
    assert [each[:8] for each in error.errors] == ["flows[0]"], error
else:
    raise AssertionError("a flow whose headers have no room was accepted")
api.set_config(api.config())
print("done")
