# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The connection of a frame, for people."""

from __future__ import annotations

from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet


def connection_text(frame: bytes) -> str:
    """`192.0.2.1 port 80 to 192.0.2.9 port 4711`, of the innermost addresses; empty without an IP header."""
    layers = [layer for layer in _layers(Ether(frame)) if isinstance(layer, IP | IPv6 | TCP | UDP)]
    addresses = [layer for layer in layers if isinstance(layer, IP | IPv6)]
    if not addresses:
        return ""
    ports = layers[-1] if isinstance(layers[-1], TCP | UDP) else None
    source, destination = (f" port {ports.sport}", f" port {ports.dport}") if ports else ("", "")
    return f"{addresses[-1].src}{source} to {addresses[-1].dst}{destination}"


def _layers(packet: Packet) -> list[Packet]:
    layers = []
    while packet:
        layers.append(packet)
        packet = packet.payload
    return layers
