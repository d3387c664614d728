# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Says when the first IPv4 frame came to an interface, by the kernel's own stamp.

    python witness.py INTERFACE

Runs as a program in the namespace of the interface. For each line on standard input it forgets what has
arrived, answers `armed`, and then the time of the next frame in nanoseconds of CLOCK_REALTIME, or `nothing`.
"""

from __future__ import annotations

import select
import socket
import struct
import sys

_ETH_P_ALL = 0x0003  # linux/if_ether.h; a socket for one protocol sees no frames that a bridge takes
_IPV4 = b"\x08\x00"  # leaves out ARP frames, from which a device learns
_HEADER = 14
_SO_TIMESTAMPNS = 35  # asm-generic/socket.h
_TIMESPEC = struct.Struct("@ll")
_PATIENCE_S = 5.0


def _open(interface: str) -> socket.socket:
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    packets.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    packets.bind((interface, _ETH_P_ALL))
    return packets


def _forget(packets: socket.socket) -> None:
    while select.select([packets], [], [], 0)[0]:
        packets.recv(1)


def _arrival_ns(packets: socket.socket) -> int | None:
    """The time at which the next IPv4 frame arrived; None if none does."""
    while select.select([packets], [], [], _PATIENCE_S)[0]:
        header, ancillary, _, address = packets.recvmsg(_HEADER, socket.CMSG_SPACE(_TIMESPEC.size))
        if header.endswith(_IPV4) and address[2] != socket.PACKET_OUTGOING:
            return _stamp(ancillary)
    return None


def _stamp(ancillary: list[tuple[int, int, bytes]]) -> int:
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS):
            seconds, nanoseconds = _TIMESPEC.unpack(data)
            return int(seconds) * 10**9 + int(nanoseconds)
    raise OSError("the kernel gives frames no time stamp")


def main() -> None:
    """Serves until the end of standard input."""
    packets = _open(sys.argv[1])
    for _ in sys.stdin:
        _forget(packets)
        print("armed", flush=True)
        print(_arrival_ns(packets) or "nothing", flush=True)


if __name__ == "__main__":
    main()
