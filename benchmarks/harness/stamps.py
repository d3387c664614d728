# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Says when each UDP frame came to an interface, by the kernel's own stamps.

    python stamps.py INTERFACE FRAMES

Runs as a program in the namespace of the interface. It answers `armed`; at a line on standard input it writes
the stamps so far, each 8 bytes of nanoseconds of CLOCK_MONOTONIC_RAW, and ends.

The kernel stamps a frame when it comes out of the cable, in the context of who sent it, and puts it into a
ring that holds the first so many: nobody has to run meanwhile, so this takes no time from a sender.
"""

from __future__ import annotations

import mmap
import socket
import struct
import sys
from array import array
from collections.abc import Iterator
from time import CLOCK_MONOTONIC_RAW, clock_gettime_ns, time_ns

# linux/if_packet.h
_SOL_PACKET = 263
_RX_RING, _VERSION, _V2 = 5, 10, 1
_FILLED, _STAMPED = 1, 1 << 29  # TP_STATUS_USER, TP_STATUS_TS_SOFTWARE
_REQUEST = struct.Struct("=IIII")  # tpacket_req
_HEADER = struct.Struct("=IIIHHII")  # of tpacket2_hdr: status, lengths, offsets, seconds, nanoseconds
_SO_TIMESTAMPNS = 35  # asm-generic/socket.h
_ETH_P_IP = 0x0800

_SLOT = 128  # the headers, and the first bytes of a frame
_BLOCK = 1 << 16
_PROTOCOL = 14 + 9  # byte of an IPv4 frame
_UDP = 17

_LOOKS = 50
_MOST_ADJUSTED = 1e-3  # of the rate of CLOCK_REALTIME; twice what adjtimex(2) allows

Instant = tuple[int, int]  # on CLOCK_REALTIME, on CLOCK_MONOTONIC_RAW


def ring(packets: socket.socket, frames: int) -> mmap.mmap:
    """Memory into which the kernel puts the first so many frames of a socket, or some more."""
    blocks = -(-frames * _SLOT // _BLOCK)
    packets.setsockopt(_SOL_PACKET, _VERSION, _V2)
    packets.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    request = _REQUEST.pack(_BLOCK, blocks, _SLOT, blocks * _BLOCK // _SLOT)
    packets.setsockopt(_SOL_PACKET, _RX_RING, request)
    return mmap.mmap(packets.fileno(), blocks * _BLOCK)


def stamps(memory: mmap.mmap | bytes) -> Iterator[int]:
    """Times at which the UDP frames in it came, by CLOCK_REALTIME; it holds the first ones, without a gap.

    Raises:
        OSError: The kernel does not stamp frames as they arrive.
    """
    for slot in range(0, len(memory), _SLOT):
        status, _, _, start, _, seconds, nanoseconds = _HEADER.unpack_from(memory, slot)
        if not status & _FILLED:
            return
        if memory[slot + start + _PROTOCOL] != _UDP:
            continue
        if not status & _STAMPED:
            raise OSError("the kernel does not stamp frames as they arrive")
        yield seconds * 10**9 + nanoseconds


def instant() -> Instant:
    """Now, of several looks the one that took least."""
    looks = []
    for _ in range(_LOOKS):
        before = clock_gettime_ns(CLOCK_MONOTONIC_RAW)
        real = time_ns()
        after = clock_gettime_ns(CLOCK_MONOTONIC_RAW)
        looks.append((after - before, real, (before + after) // 2))
    _, real, raw = min(looks)
    return real, raw


def raw(real: Iterator[int], first: Instant, last: Instant) -> Iterator[int]:
    """Times of CLOCK_REALTIME, by CLOCK_MONOTONIC_RAW. OSError if it was set between the two instants."""
    real_ns, raw_ns = last[0] - first[0], last[1] - first[1]
    if abs(real_ns / raw_ns - 1) > _MOST_ADJUSTED:
        raise OSError(f"CLOCK_REALTIME was set: {real_ns} ns went by on it in {raw_ns} ns")
    return (first[1] + (at - first[0]) * raw_ns // real_ns for at in real)


def main() -> None:
    """Serves one line of standard input."""
    interface, frames = sys.argv[1], int(sys.argv[2])
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as packets:
        memory = ring(packets, frames)
        packets.bind((interface, _ETH_P_IP))
        first = instant()
        print("armed", flush=True)
        sys.stdin.readline()
        arrivals = array("Q", raw(stamps(memory), first, instant()))
        sys.stdout.buffer.write(arrivals.tobytes())


if __name__ == "__main__":
    main()
