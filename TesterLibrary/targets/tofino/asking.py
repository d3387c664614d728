# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Asks a neighbour for its MAC address through the port of a switch's CPU (RFC 826)."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import Inconclusive, PlanError
from ...model.ports import Address
from ...planning.switch.chip import PORT_MASK
from .entry import Masked, TableEntry
from .packets import arrived, injected
from .session import SwitchSession

_STATIONS = "ExternalIngress.forwarding"
_ARP = b"\x08\x06"
_REQUEST, _REPLY = (bytes.fromhex("0001 0800 06 04") + bytes((0, operation)) for operation in (1, 2))
_ASKED = 3  # requests at most
_POLLS, _POLL_S = 20, 0.02
_EVERY = 0xFFFF


def resolve(
    session: SwitchSession,
    port: str,
    address: Address,
    *,
    source: Address,
    source_mac: bytes,
    sleep: Callable[[float], object],
) -> bytes:
    """The MAC address of an IPv4 neighbour.

    Raises:
        PlanError: an address that is not IPv4.
        Inconclusive: nobody answers.
    """
    if source.version != 4 or address.version != 4:
        raise PlanError(f"{source} cannot ask for {address}: a switch resolves IPv4 neighbours")
    number = session.numbers[port]
    question = b"\xff" * 6 + source_mac + _ARP + _REQUEST + source_mac + source.packed + bytes(6)
    question += address.packed
    answers = TableEntry(
        f"external.{_STATIONS}.stations",
        {
            "ingress_port": Masked(number, PORT_MASK),
            "dst": Masked(int.from_bytes(source_mac, "big"), (1 << 48) - 1),
            "ether_type": Masked(int.from_bytes(_ARP, "big"), _EVERY),
            "$MATCH_PRIORITY": 0,
        },
        f"{_STATIONS}.send_to_driver",
        {"port": session.cabling.cpu_port},
    )
    session.write([answers])
    try:
        for _ in range(_ASKED):
            session.send([injected(question, number)])
            for _ in range(_POLLS):
                sleep(_POLL_S)
                for octets in session.received():
                    mac = _answered(octets, number, address)
                    if mac is not None:
                        return mac
    finally:
        session.delete([answers])
    raise Inconclusive(f"nobody answers at {address} on port {port!r} when {source} asks")


def _answered(octets: bytes, number: int, address: Address) -> bytes | None:
    port, frame = arrived(octets)
    reply = frame[12:22] == _ARP + _REPLY and frame[28:32] == address.packed
    return frame[22:28] if reply and port == number else None
