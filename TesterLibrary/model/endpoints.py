# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Ranges of addresses and ports that the tester answers for, or opens flows from and to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from ..errors import UnitError
from .ports import Address
from .units.notation import TEXT, written_as

_HIGHEST_PORT = 0xFFFF
_IN_BRACKETS = re.compile(r"\[([^\]]+)\](?::(.*))?")


@written_as(TEXT)
@dataclass(frozen=True)
class AddressRange:
    """Addresses in a row: `10.1.0.10`, `10.1.0.10-10.1.0.13`, or the hosts of `198.18.64.0/19`."""

    first: Address
    count: int = 1

    @classmethod
    def parse(cls, text: object) -> AddressRange:
        """Raises UnitError for what is no address, network or range of addresses of one IP version."""
        if isinstance(text, AddressRange):
            return text
        try:
            return cls._parsed(str(text).strip())
        except ValueError:
            allowed = "an address, two with '-' between, or a network, such as 10.1.0.10-10.1.0.13"
            raise UnitError(f"{str(text)!r} is no range of addresses; write {allowed}") from None

    @classmethod
    def _parsed(cls, text: str) -> AddressRange:
        if "/" in text:
            hosts = ip_network(text)
            # Except in the smallest networks, the first address and the broadcast address are no hosts.
            edge = int(hosts.version == 4 and hosts.num_addresses > 2)
            return cls(hosts[edge], hosts.num_addresses - 2 * edge)
        first, _, last = text.partition("-")
        begin, end = ip_address(first.strip()), ip_address((last or first).strip())
        if begin.version != end.version or int(end) < int(begin):
            raise ValueError
        return cls(begin, int(end) - int(begin) + 1)

    @property
    def last(self) -> Address:
        """The highest one."""
        return self.first + (self.count - 1)

    def __contains__(self, address: object) -> bool:
        if not isinstance(address, type(self.first)):
            return False
        return 0 <= int(address) - int(self.first) < self.count

    def __iter__(self) -> Iterator[Address]:
        return (self.first + number for number in range(self.count))

    def __str__(self) -> str:
        return str(self.first) if self.count == 1 else f"{self.first}-{self.last}"


@dataclass(frozen=True)
class PortRange:
    """Ports of UDP or TCP in a row: `80`, `1024-65535`."""

    first: int
    count: int = 1

    @classmethod
    def parse(cls, text: object) -> PortRange:
        """Raises UnitError for what is not one or two numbers from 1 to 65535, the lower one first."""
        if isinstance(text, PortRange):
            return text
        found = re.fullmatch(r"\s*(\d{1,5})\s*(?:-\s*(\d{1,5})\s*)?", str(text))
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 1 <= first <= last <= _HIGHEST_PORT:
            allowed = f"1 to {_HIGHEST_PORT}, or two of them with '-' between, such as 1024-65535"
            raise UnitError(f"{str(text)!r} is no range of ports; write {allowed}")
        return cls(first, last - first + 1)

    @property
    def last(self) -> int:
        """The highest one."""
        return self.first + self.count - 1

    def __str__(self) -> str:
        return str(self.first) if self.count == 1 else f"{self.first}-{self.last}"


@written_as(TEXT)
@dataclass(frozen=True)
class Endpoints:
    """Addresses with ports: `10.1.0.10-10.1.0.13:80`, `[2001:2::2]:80`, `10.1.0.10`."""

    addresses: AddressRange
    ports: PortRange | None = None  # None: any

    @classmethod
    def parse(cls, text: object) -> Endpoints:
        """Raises UnitError for what is no range of addresses, maybe with a range of ports."""
        if isinstance(text, Endpoints):
            return text
        words = str(text).strip()
        bracketed = _IN_BRACKETS.fullmatch(words)
        if bracketed:
            addresses, ports = bracketed[1], bracketed[2] or ""
        elif words.count(":") == 1:
            addresses, _, ports = words.partition(":")
        else:
            addresses, ports = words, ""
        return cls(AddressRange.parse(addresses), PortRange.parse(ports) if ports else None)

    def __str__(self) -> str:
        if self.ports is None:
            return str(self.addresses)
        text = f"[{self.addresses}]" if self.addresses.first.version == 6 else str(self.addresses)
        return f"{text}:{self.ports}"
