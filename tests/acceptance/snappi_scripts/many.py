# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Many flows, each counted by itself although their headers are equal in pairs. Run by snappi's Python."""

from __future__ import annotations

import sys
import time

import snappi  # type: ignore[import-not-found]

LOCATION, TRANSPORT, FLOWS = sys.argv[1], sys.argv[2], int(sys.argv[3])
PACKETS = 3

api = snappi.api(location=LOCATION, transport=TRANSPORT, verify=False)
api.request_timeout = 120
config = api.config()
p1, p2 = config.ports.port(name="p1", location="localhost:5555").port(name="p2", location="localhost:5556")
for number in range(FLOWS):
    for tx, rx, mac, peer in (
        (p1, p2, "00:AA:00:00:04:00", "00:AA:00:00:00:AA"),
        (p2, p1, "00:AA:00:00:00:AA", "00:AA:00:00:04:00"),
    ):
        flow = config.flows.add(name=f"{tx.name} {number}")
        flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = tx.name, [rx.name]
        flow.size.fixed, flow.rate.pps, flow.duration.fixed_packets.packets = 128, 2, PACKETS
        flow.metrics.enable = flow.metrics.loss = True
        ethernet, ip, udp = flow.packet.ethernet().ipv4().udp()
        ethernet.src.value, ethernet.dst.value = mac, peer
        ip.src.value, ip.dst.value = "10.0.0.1", "10.0.0.2"
        udp.src_port.value = 5000 + number // 2  # two flows are equal in every header
text = config.serialize()
begun = time.monotonic()
api.set_config(text)
print(f"set_config {time.monotonic() - begun:.2f} s, client included")
state = api.control_state()
state.traffic.flow_transmit.state = state.traffic.flow_transmit.START
api.set_control_state(state)
request = api.metrics_request()
request.flow.flow_names = []
deadline = time.monotonic() + 60
while True:
    metrics = api.get_metrics(request).flow_metrics
    if all(metric.transmit == metric.STOPPED for metric in metrics):
        break
    assert time.monotonic() < deadline
    time.sleep(0.5)
assert len(metrics) == 2 * FLOWS
wrong = [
    metric
    for metric in metrics
    if (metric.frames_tx, metric.frames_rx, metric.loss) != (PACKETS, PACKETS, 0.0)
]
assert not wrong, wrong[:3]
api.set_config(api.config())
print("done")
