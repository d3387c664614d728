# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Asks a neighbour for its MAC address through the port of a switch's CPU (RFC 826, RFC 4861)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....errors import Inconclusive, PlanError
from ....model.ports import Address
from ....planning.frame import question
from ..session.session import SwitchSession
from .discovery import IPV6, advertised
from .packets import arrived, injected, to_driver, whole_mac

_ARP = b"\x08\x06"
_REPLY = bytes.fromhex("0001 0800 06 04 0002")
_ASKED = 3  # requests at most
_POLLS, _POLL_S = 20, 0.02


def resolve(
    session: SwitchSession,
    port: str,
    address: Address,
    *,
    source: Address,
    source_mac: bytes,
    sleep: Callable[[float], object],
    others: Callable[[Sequence[bytes]], None],
) -> bytes:
    """The MAC address of a neighbour.

    Args:
        session: That of the switch.
        port: The tester's port.
        address: Of the neighbour.
        source: Who asks.
        source_mac: Its MAC address.
        sleep: Waits for so many seconds.
        others: Takes packets that are not the answer.

    Raises:
        PlanError: the addresses are of different versions.
        Inconclusive: nobody answers.
    """
    if source.version != address.version:
        raise PlanError(f"{source} cannot ask for {address}: one is of IPv4, the other one of IPv6")
    number = session.numbers[port]
    answers = to_driver(
        number, whole_mac(source_mac), _ARP if address.version == 4 else IPV6, session.cabling.cpu_port
    )
    asks = injected(question(source_mac, source, address), number)
    written = [] if session.holds(answers) else [answers]
    session.write(written)
    try:
        for _ in range(_ASKED):
            session.send([asks])
            for _ in range(_POLLS):
                sleep(_POLL_S)
                packets = session.received()
                others(packets)
                for octets in packets:
                    mac = _answered(octets, number, address)
                    if mac is not None:
                        return mac
    finally:
        session.delete(written)
    raise Inconclusive(f"nobody answers at {address} on port {port!r} when {source} asks")


def _answered(octets: bytes, number: int, address: Address) -> bytes | None:
    port, frame = arrived(octets)
    if port != number:
        return None
    if address.version == 6:
        told = advertised(frame)
        return told[1] if told and told[0] == address else None
    reply = frame[12:22] == _ARP + _REPLY and frame[28:32] == address.packed
    return frame[22:28] if reply else None
