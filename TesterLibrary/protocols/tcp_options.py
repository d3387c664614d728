# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Options of TCP as values of fixed width: RFC 9293 §3.2, RFC 7323, RFC 2018."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model.template import OptionKind

# Values that a table can read from a segment in addition to its fields, and their bits: single flags, and
# options, which have a default where the segment does not carry them.
VIRTUAL: Mapping[str, int] = {
    "fin": 1,
    "syn": 1,
    "mss": 16,
    "wscale": 4,
    "has_wscale": 1,
    "sack_permitted": 1,
    "has_timestamp": 1,
    "ts_val": 32,
    "ts_ecr": 32,
}
DEFAULT_MSS = 536  # RFC 9293 §3.7.1
_MOST_WSCALE = 14  # RFC 7323 §2.3: a larger one counts as 14

_NOP, _END = 1, 0
_NUMBERS = {
    OptionKind.MSS: (2, (2,)),
    OptionKind.WINDOW_SCALE: (3, (1,)),
    OptionKind.SACK_PERMITTED: (4, ()),
    OptionKind.TIMESTAMP: (8, (4, 4)),
    OptionKind.SACK: (5, (4, 4)),  # one block: from where, up to where
}
VALUES = {kind: len(sizes) for kind, (_, sizes) in _NUMBERS.items()}  # the number of values of each option
OCTETS = {kind: (2 + sum(sizes) + 3) // 4 * 4 for kind, (_, sizes) in _NUMBERS.items()}  # padded
MOST_OCTETS = 40


def read(header: bytes | bytearray) -> dict[str, int]:
    """The virtual fields of a TCP header with its options; what follows a malformed option is not read."""
    flags = header[13]
    values = dict.fromkeys(VIRTUAL, 0) | {"fin": flags & 1, "syn": flags >> 1 & 1, "mss": DEFAULT_MSS}
    for number, body in _options(header[20:]):
        if number == 2 and len(body) == 2:
            values["mss"] = int.from_bytes(body, "big")
        elif number == 3 and len(body) == 1:
            values |= {"wscale": min(body[0], _MOST_WSCALE), "has_wscale": 1}
        elif number == 4 and not body:
            values["sack_permitted"] = 1
        elif number == 8 and len(body) == 8:
            values |= {
                "has_timestamp": 1,
                "ts_val": int.from_bytes(body[:4], "big"),
                "ts_ecr": int.from_bytes(body[4:], "big"),
            }
    return values


def write(kind: OptionKind, values: tuple[int, ...]) -> bytes:
    """One option, with no-operations before it so that it fills whole words."""
    number, sizes = _NUMBERS[kind]
    body = b"".join(
        (value & ((1 << 8 * size) - 1)).to_bytes(size, "big")
        for value, size in zip(values, sizes, strict=True)
    )
    option = bytes([number, 2 + len(body)]) + body
    return bytes([_NOP]) * (-len(option) % 4) + option


def _options(octets: bytes | bytearray) -> Iterator[tuple[int, bytes]]:
    position = 0
    while position < len(octets) and octets[position] != _END:
        if octets[position] == _NOP:
            position += 1
            continue
        length = octets[position + 1] if position + 1 < len(octets) else 0
        if length < 2 or position + length > len(octets):
            return
        yield octets[position], bytes(octets[position + 2 : position + length])
        position += length
