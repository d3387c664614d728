# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from ipaddress import ip_address

import pytest

from TesterLibrary.errors import UnitError
from TesterLibrary.model.endpoints import AddressRange, Endpoints, PortRange


@pytest.mark.parametrize(
    ("text", "first", "count", "shown"),
    [
        ("10.1.0.10", "10.1.0.10", 1, "10.1.0.10"),
        ("10.1.0.10-10.1.0.13", "10.1.0.10", 4, "10.1.0.10-10.1.0.13"),
        (" 10.1.0.10 - 10.1.1.9 ", "10.1.0.10", 256, "10.1.0.10-10.1.1.9"),
        ("198.18.64.0/19", "198.18.64.1", 8190, "198.18.64.1-198.18.95.254"),
        ("10.1.0.4/31", "10.1.0.4", 2, "10.1.0.4-10.1.0.5"),
        ("2001:2::2-2001:2::11", "2001:2::2", 16, "2001:2::2-2001:2::11"),
        ("2001:2::/120", "2001:2::", 256, "2001:2::-2001:2::ff"),
    ],
)
def test_addresses(text: str, first: str, count: int, shown: str) -> None:
    found = AddressRange.parse(text)
    assert (found.first, found.count, str(found)) == (ip_address(first), count, shown)
    assert AddressRange.parse(str(found)) == found
    assert found.first in found
    assert found.last in found
    assert found.last + 1 not in found


@pytest.mark.parametrize(
    "text", ["", "10.1.0", "10.1.0.13-10.1.0.10", "10.1.0.1-2001:2::1", "10.1.0.1/8", "10.1.0.1:80"]
)
def test_what_is_no_range_of_addresses(text: str) -> None:
    with pytest.raises(UnitError, match="is no range of addresses; write an address"):
        AddressRange.parse(text)


def test_addresses_of_the_other_version_are_in_no_range() -> None:
    assert ip_address("::a01:a") not in AddressRange.parse("10.1.0.10")


@pytest.mark.parametrize(
    ("text", "addresses", "ports"),
    [
        ("10.1.0.10-10.1.0.13:80", "10.1.0.10-10.1.0.13", "80"),
        ("10.1.0.10:1024-65535", "10.1.0.10", "1024-65535"),
        ("10.1.0.10", "10.1.0.10", None),
        ("[2001:2::2]:80", "2001:2::2", "80"),
        ("[2001:2::2-2001:2::9]", "2001:2::2-2001:2::9", None),
        ("2001:2::2", "2001:2::2", None),
    ],
)
def test_endpoints(text: str, addresses: str, ports: str | None) -> None:
    found = Endpoints.parse(text)
    assert found == Endpoints(AddressRange.parse(addresses), PortRange.parse(ports) if ports else None)
    assert Endpoints.parse(str(found)) == found


@pytest.mark.parametrize("ports", ["0", "65536", "90-80", "80-", "http"])
def test_what_is_no_range_of_ports(ports: str) -> None:
    with pytest.raises(UnitError, match="is no range of ports; write 1 to 65535"):
        Endpoints.parse(f"10.1.0.10:{ports}")
