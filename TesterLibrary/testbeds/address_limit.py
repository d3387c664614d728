# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits how many addresses a bridge of the kernel learns, by rtnetlink; pyroute2 has no name for it yet."""

from __future__ import annotations

import os
import re
import socket
import struct

_NEW_LINK, _REQUEST_AND_ACKNOWLEDGE = 16, 1 | 4
_NESTED = 0x8000
_LINKINFO, _INFO_KIND, _INFO_DATA = 18, 1, 2
_FDB_MAX_LEARNED, _SINCE = 49, (6, 8)  # IFLA_BR_FDB_MAX_LEARNED, and the first release that knows it
_OF_ERROR = struct.Struct("=IHHIIi")  # nlmsghdr, and the error number of nlmsgerr


def limit_addresses(index: int, count: int) -> None:
    """The bridge of that index, in the namespace of this process, learns no more than so many addresses.

    Raises:
        OSError: this kernel does not know the limit, or refuses it.
    """
    release = os.uname().release
    if tuple(map(int, re.findall(r"\d+", release)[:2])) < _SINCE:  # it would ignore what it does not know
        raise OSError(f"a bridge that learns {count} addresses at most needs Linux 6.8; this is {release}")
    wanted = _attribute(_FDB_MAX_LEARNED, struct.pack("=I", count))
    info = _attribute(_INFO_KIND, b"bridge\0") + _attribute(_INFO_DATA | _NESTED, wanted)
    link = struct.pack("=BxHiII", socket.AF_UNSPEC, 0, index, 0, 0) + _attribute(_LINKINFO | _NESTED, info)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        kernel.bind((0, 0))
        kernel.send(struct.pack("=IHHII", 16 + len(link), _NEW_LINK, _REQUEST_AND_ACKNOWLEDGE, 1, 0) + link)
        answer = kernel.recv(65536)
    problem = -_OF_ERROR.unpack_from(answer)[-1]
    if problem:
        raise OSError(problem, f"a bridge that learns {count} addresses at most: {os.strerror(problem)}")


def _attribute(kind: int, value: bytes) -> bytes:
    """A netlink attribute, padded to four bytes."""
    return struct.pack("=HH", 4 + len(value), kind) + value + b"\0" * (-len(value) % 4)
