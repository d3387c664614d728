# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The Unix user whose process of this machine has the other end of a TCP connection."""

from __future__ import annotations

import ipaddress
import pwd
import sys
from pathlib import Path

from .refusal import NotAllowed

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
End = tuple[str, int]


def uid_of(peer: End, here: End) -> int:
    """The number of that user.

    Raises:
        NotAllowed: the other end is closed, or of another machine.
    """
    for table, texts in zip(_TABLES, (_as_ipv4, _as_ipv6), strict=True):
        try:
            ends = f"{texts(peer)} {texts(here)}"
        except ValueError:  # an IPv6 address is in one of the tables only
            continue
        lines = table.read_text(encoding="ascii").splitlines() if table.exists() else ()
        for line in lines:
            if f" {ends} " not in line:  # it is looked for among thousands, in the loop of the service
                continue
            words = line.split()
            # The kernel says user 0 of a connection that its process has closed, which has no inode any more.
            if words[9] != "0":
                return int(words[7])
    raise NotAllowed("nobody knows whose process this is; connect from this machine")


def user_of(peer: End, here: End) -> str:
    """The name of that user. NotAllowed as of `uid_of`."""
    return name_of(uid_of(peer, here))


def name_of(uid: int) -> str:
    """The name of a user of this machine."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _as_ipv4(end: End) -> str:
    return _as_kernel(ipaddress.IPv4Address(end[0]).packed, end[1])


def _as_ipv6(end: End) -> str:
    """gRPC has sockets of IPv6 for IPv4, too (RFC 4291 §2.5.5.2)."""
    address = ipaddress.ip_address(end[0])
    packed = address.packed if address.version == 6 else bytes(10) + b"\xff\xff" + address.packed
    return _as_kernel(packed, end[1])


def _as_kernel(packed: bytes, port: int) -> str:
    words = (packed[index : index + 4] for index in range(0, len(packed), 4))
    return f"{''.join(f'{int.from_bytes(word, sys.byteorder):08X}' for word in words)}:{port:04X}"
