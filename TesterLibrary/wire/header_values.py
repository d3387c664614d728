# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks the values that header fields are given. Scapy itself would truncate, or ask a name server."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from ..model.headers import Value
from ..model.ports import Address

_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")
_OCTETS = ("StrField", "StrLenField", "StrFixedLenField", "XStrField", "XStrLenField", "XStrFixedLenField")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")


def resolved(field: Any, layer: Any) -> Any:
    """The field itself, where Scapy wraps one or has it depend on others."""
    from scapy.fields import MultipleTypeField, _FieldContainer

    while isinstance(field, _FieldContainer):
        multiple = isinstance(field, MultipleTypeField)
        field = field._find_fld_pkt_val(layer, None)[0] if multiple else field.fld
    return field


def converted(field: Any, value: Value) -> Any:
    """The value as Scapy takes it. ValueError says what the field can be given."""
    from scapy import fields

    if isinstance(field, fields.FieldListField):
        return [converted(field.field, one) for one in _many(value)]
    if type(field).__name__ == "IP6ListField":
        return [str(_parsed(IPv6Address, one, "an IPv6 address")) for one in _many(value)]
    if not isinstance(value, str):
        raise ValueError("it takes one value, no list")
    one = _single(field, value)
    return str(one) if isinstance(one, Address) else one


def _single(field: Any, text: str) -> Address | str | bytes | int:
    """The value of a field that has one; MAC addresses are texts."""
    from scapy import fields

    if isinstance(field, fields.MACField):
        if not _MAC.fullmatch(text):
            raise ValueError("it takes a MAC address such as 02:00:00:00:00:01")
        return text.lower()
    if isinstance(field, fields.IPField):
        return _parsed(IPv4Address, text, "an IPv4 address")
    if isinstance(field, fields.IP6Field):
        return _parsed(IPv6Address, text, "an IPv6 address")
    return _octets(field, text) if type(field).__name__ in _OCTETS else _number(field, text)


def _many(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,)


def _parsed(kind: type[IPv4Address] | type[IPv6Address], text: str, what: str) -> Address:
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"it takes {what}") from None


def _octets(field: Any, text: str) -> bytes:
    """Text, or octets in hexadecimal: `0x0102ff`."""
    is_hex = re.fullmatch(r"0x([0-9a-fA-F]{2})+", text)
    octets = bytes.fromhex(text[2:]) if is_hex else text.encode()
    if "FixedLen" in type(field).__name__ and field.sz and len(octets) > field.sz:
        raise ValueError(f"it takes at most {field.sz} bytes")
    return octets


def _number(field: Any, text: str) -> int:
    bits = width(field)
    if bits is None:
        raise ValueError(f"a field of the kind {type(field).__name__} cannot be given")
    words = _words(field)
    if text in words:
        return words[text]
    if _NUMBER.fullmatch(text):
        number = int(text, 16 if text[:2] in ("0x", "0X") else 10)
        if number < 1 << bits:
            return number
    elif (flags := _flags(field, text)) is not None:
        return flags
    allowed = f"it takes 0 to {(1 << bits) - 1} ({bits} bit{'s' if bits > 1 else ''})"
    if words:
        some = ", ".join(sorted(words)[:8])
        allowed += f" or one of {some}{', …' if len(words) > 8 else ''}"
    raise ValueError(allowed)


def width(field: Any) -> int | None:
    """Bits of a field that holds a number; None for other fields."""
    from scapy.fields import Field, _BitField

    if isinstance(field, _BitField):
        return abs(int(field.size))
    number = isinstance(field, Field) and re.fullmatch("[!<>]?[BHIQ]", field.fmt)
    packets = field.islist or field.holds_packets
    return int(field.sz) * 8 if number and not packets and field.sz <= struct.calcsize(field.fmt) else None


def numeric_width(field: Any) -> int | None:
    """Bits of a field that holds a number or an address; None for others."""
    from scapy.fields import IP6Field, IPField, MACField

    addresses = {MACField: 48, IPField: 32, IP6Field: 128}
    return next((bits for kind, bits in addresses.items() if isinstance(field, kind)), None) or width(field)


def as_number(field: Any, text: str) -> int:
    """The number that a number or an address is in the bits of its field. ValueError as from `converted`."""
    value = _single(field, text)
    if isinstance(value, bytes):
        raise ValueError(f"{text!r}: {field.name} holds octets, which are no number")
    return int(value.replace(":", ""), 16) if isinstance(value, str) else int(value)


def from_number(field: Any, number: int) -> Any:
    """The inverse of `as_number`: the value for this field, as Scapy takes it."""
    from scapy.fields import IP6Field, IPField, MACField

    if isinstance(field, MACField):
        return number.to_bytes(6, "big").hex(":")
    if isinstance(field, (IPField, IP6Field)):
        return str(IPv4Address(number) if isinstance(field, IPField) else IPv6Address(number))
    return number


@lru_cache(maxsize=256)
def _words(field: Any) -> Mapping[str, int]:
    """The names of an enumeration's values, or of the bits of a set of flags.

    Kept, because the names of ports are hundreds, and thousands of values of one field are read in turn.
    """
    names = getattr(field, "s2i", None)
    if isinstance(names, dict):
        return {str(name): number for name, number in names.items() if isinstance(number, int)}
    flags = getattr(field, "names", None)
    if flags and type(field).__name__ == "FlagsField":
        return {name: 1 << bit for bit, name in enumerate(flags)}
    return {}


def _flags(field: Any, text: str) -> int | None:
    """The number of flags written as letters, `SA`, or as names joined by a plus sign, `DF+MF`."""
    if type(field).__name__ != "FlagsField" or not text:
        return None
    parts = text.split("+") if "+" in text or not isinstance(field.names, str) else list(text)
    words = _words(field)
    return None if any(part not in words for part in parts) else sum(words[part] for part in set(parts))
