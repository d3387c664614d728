# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Headers that a device rewrites hint at what the testbed says of its forwarding."""

from __future__ import annotations

import pytest

from TesterLibrary.measurement.order import Order


@pytest.mark.parametrize(
    ("parts", "hint"),
    [
        (("MAC addresses", "TTL or hop limit"), "; a router changes these: has the testbed layer: 3?"),
        (
            ("MAC addresses", "IPv4 checksum", "IP addresses", "UDP ports", "UDP checksum"),
            "; NAT changes these: has the testbed forwarding: translated?",
        ),
        (("UDP checksum",), ""),
        (("IPv4 checksum",), ""),
        (("MAC addresses", "IP length"), ""),
    ],
)
def test_what_routers_and_nat_rewrite_is_asked_about(parts: tuple[str, ...], hint: str) -> None:
    damage = Order(sent=300, wrong_headers=300, wrong_header_parts=parts).damage
    named = ", ".join(parts)
    assert damage == f"300 arrived with headers that are not those that were sent ({named}{hint})"
