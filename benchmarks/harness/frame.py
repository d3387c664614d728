# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The one frame that every side sends."""

from __future__ import annotations

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

FRAME_SIZE = 64  # with FCS
_LENGTH = FRAME_SIZE - 4
PAYLOAD = _LENGTH - 42  # of its UDP datagram


def frame() -> bytes:
    """60 bytes without FCS, as testpmd's txonly makes them, to a MAC address that nobody has."""
    headers = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:00") / IP(src="198.18.0.1", dst="198.18.0.2")
    return bytes(headers / UDP(sport=9, dport=9) / bytes(PAYLOAD))
