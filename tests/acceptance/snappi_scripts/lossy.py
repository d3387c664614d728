# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A device loses exactly every tenth frame of one way, and nothing else. Run by snappi's Python."""

from __future__ import annotations

import sys
import time

import snappi  # type: ignore[import-not-found]

LOCATION, TRANSPORT = sys.argv[1:]
PACKETS = 500

api = snappi.api(location=LOCATION, transport=TRANSPORT, verify=False)
api.request_timeout = 60
config = api.config()
p1, p2 = config.ports.port(name="p1", location="localhost:5555").port(name="p2", location="localhost:5556")
for tx, rx in ((p1, p2), (p2, p1)):
    flow = config.flows.add(name=tx.name + " to " + rx.name)
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = tx.name, [rx.name]
    flow.size.fixed, flow.rate.pps, flow.duration.fixed_packets.packets = 200, 500, PACKETS
    flow.metrics.enable = flow.metrics.loss = True
    ethernet, ip, udp = flow.packet.ethernet().ipv4().udp()
    ethernet.src.value = "00:AA:00:00:04:00"
    ip.src.value, ip.dst.value = "10.0.0.1", "10.0.0.2"
api.set_config(config)
state = api.control_state()
state.traffic.flow_transmit.state = state.traffic.flow_transmit.START
api.set_control_state(state)
request = api.metrics_request()
request.flow.flow_names = []
deadline = time.monotonic() + 30
while True:
    metrics = {metric.name: metric for metric in api.get_metrics(request).flow_metrics}
    if all(metric.transmit == metric.STOPPED for metric in metrics.values()):
        break
    assert time.monotonic() < deadline
    time.sleep(0.1)
there, back = metrics["p1 to p2"], metrics["p2 to p1"]
print(there.frames_tx, there.frames_rx, there.loss, back.frames_rx, back.loss)
assert (there.frames_tx, there.frames_rx, there.loss) == (PACKETS, PACKETS * 9 // 10, 10.0)
assert (back.frames_rx, back.loss) == (PACKETS, 0.0)
api.set_config(api.config())
print("done")
