# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Domain names in messages (RFC 1035 §4.1.4), each as a number that equal names share."""

from __future__ import annotations

from dataclasses import dataclass

_MOST = 255  # bytes of a name
_POINTER = 0xC0
_LABEL = 0x40  # no label is as long
_BASIS, _PRIME, _BITS = 14695981039346656037, 1099511628211, 64  # FNV-1a


@dataclass(frozen=True)
class DomainName:
    """A name of a message; without a whole name both are 0."""

    number: int = 0
    octets: int = 0  # up to its end, or behind its first pointer


def domain_name(message: bytes, least: int, begin: int) -> DomainName:
    """The name that begins at a byte of a message.

    Args:
        message: The message, from which pointers count.
        least: The byte before which neither names nor pointers lead.
        begin: The first byte of the name.
    """
    name, octets, segment, at = bytearray(), 0, begin, begin
    while least <= at < len(message):
        label = message[at]
        if label >= _POINTER:
            target = int.from_bytes(message[at : at + 2], "big") & 0x3FFF
            octets = octets or at + 2 - begin
            if at + 1 >= len(message) or target >= segment:  # each pointer leads further back
                break
            segment = at = target
            continue
        end = at + 1 + label
        if label >= _LABEL or len(name) + 1 + label > _MOST or end > len(message):
            break
        name += bytes([label]) + message[at + 1 : end].lower()
        if label == 0:
            return DomainName(_number(bytes(name)), octets or end - begin)
        at = end
    return DomainName()


def _number(name: bytes) -> int:
    number = _BASIS
    for octet in name:
        number = (number ^ octet) * _PRIME % (1 << _BITS)
    return number or 1
