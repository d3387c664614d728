# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Devices on both sides of a router, which find each other by ARP. Run by snappi's Python."""

from __future__ import annotations

import sys
import time

import snappi  # type: ignore[import-not-found]

LOCATION, TRANSPORT = sys.argv[1:]
PACKETS = 200

api = snappi.api(location=LOCATION, transport=TRANSPORT, verify=False)
api.request_timeout = 60
config = api.config()
ports = config.ports.port(name="p1", location="localhost:5555").port(name="p2", location="localhost:5556")
for port, network in zip(ports, ("198.18.1", "198.19.1"), strict=True):
    device = config.devices.add(name=f"device {port.name}")
    ethernet = device.ethernets.add(name=f"ethernet {port.name}", mac=f"00:00:01:01:01:0{port.name[1]}")
    ethernet.connection.port_name = port.name
    ethernet.ipv4_addresses.add(
        name=f"ip {port.name}", address=f"{network}.77", gateway=f"{network}.1", prefix=16
    )
flow = config.flows.add(name="routed")
flow.tx_rx.device.tx_names, flow.tx_rx.device.rx_names = ["ip p1"], ["ip p2"]
flow.size.fixed, flow.rate.pps, flow.duration.fixed_packets.packets = 128, 400, PACKETS
flow.metrics.enable = flow.metrics.loss = True
ethernet, ip, udp = flow.packet.ethernet().ipv4().udp()
ethernet.src.value = "00:00:01:01:01:01"
ip.src.value, ip.dst.value = "198.18.1.77", "198.19.1.77"
udp.src_port.value, udp.dst_port.value = 5000, 6000
warnings = api.set_config(config).warnings
assert not warnings, warnings
request = api.states_request()
request.ipv4_neighbors.ethernet_names = []
neighbours = api.get_states(request).ipv4_neighbors
assert [known.ipv4_address for known in neighbours] == ["198.18.1.1", "198.19.1.1"]
assert all(known.link_layer_address for known in neighbours)
state = api.control_state()
state.traffic.flow_transmit.state = state.traffic.flow_transmit.START
api.set_control_state(state)
request = api.metrics_request()
request.flow.flow_names = ["routed"]
deadline = time.monotonic() + 30
while True:
    (metric,) = api.get_metrics(request).flow_metrics
    if metric.transmit == metric.STOPPED:
        break
    assert time.monotonic() < deadline
    time.sleep(0.1)
print(metric.frames_tx, metric.frames_rx, metric.loss)
assert (metric.frames_tx, metric.frames_rx, metric.loss) == (PACKETS, PACKETS, 0.0)
api.set_config(api.config())
print("done")
