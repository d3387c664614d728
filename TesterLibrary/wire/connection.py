# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The connection of a frame, for people."""

from __future__ import annotations


def connection_text(frame: bytes) -> str:
    """`192.0.2.1 port 80 to 192.0.2.9 port 4711`, of the innermost addresses; empty without an IP header."""
    from scapy.layers.inet import IP, TCP, UDP  # they take their time, and few runs need them
    from scapy.layers.inet6 import IPv6
    from scapy.layers.l2 import Ether
    from scapy.packet import Packet

    layers = []
    layer: Packet = Ether(frame)
    while layer:
        layers.append(layer)
        layer = layer.payload
    ends = [layer for layer in layers if isinstance(layer, IP | IPv6)]
    if not ends:
        return ""
    ports = next((layer for layer in reversed(layers) if isinstance(layer, TCP | UDP)), None)
    source, destination = (f" port {ports.sport}", f" port {ports.dport}") if ports else ("", "")
    return f"{ends[-1].src}{source} to {ends[-1].dst}{destination}"
