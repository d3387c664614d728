# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks the values that header fields are given. Scapy itself would truncate, or ask a name server."""

from __future__ import annotations

import re
import struct
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

from ..model.headers import Value

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
    if isinstance(field, fields.MACField):
        if not _MAC.fullmatch(value):
            raise ValueError("it takes a MAC address such as 02:00:00:00:00:01")
        return value.lower()
    if isinstance(field, fields.IPField):
        return str(_parsed(IPv4Address, value, "an IPv4 address"))
    if isinstance(field, fields.IP6Field):
        return str(_parsed(IPv6Address, value, "an IPv6 address"))
    if type(field).__name__ in _OCTETS:
        return _octets(field, value)
    return _number(field, value)


def _many(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,)


def _parsed(kind: type[IPv4Address] | type[IPv6Address], text: str, what: str) -> IPv4Address | IPv6Address:
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
    allowed = f"it takes 0 to {(1 << bits) - 1} ({bits} bit{'s' if bits > 1 else ''})"
    if words:
        some = ", ".join(sorted(words)[:8])
        allowed += f" or one of {some}{', …' if len(words) > 8 else ''}"
    if not _NUMBER.fullmatch(text):
        flags = _flags(field, text)
        if flags is None:
            raise ValueError(allowed)
        return flags
    number = int(text, 16 if text[:2] in ("0x", "0X") else 10)
    if number >= 1 << bits:
        raise ValueError(allowed)
    return number


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
    value = converted(field, text)
    if isinstance(value, int):
        return value
    return int(value.replace(":", ""), 16) if _MAC.fullmatch(value) else int(ip_address(value))


def from_number(field: Any, number: int) -> Any:
    """The inverse of `as_number`: the value for this field, as Scapy takes it."""
    from scapy.fields import IP6Field, IPField, MACField

    if isinstance(field, MACField):
        return number.to_bytes(6, "big").hex(":")
    if isinstance(field, (IPField, IP6Field)):
        return str(IPv4Address(number) if isinstance(field, IPField) else IPv6Address(number))
    return number


def _words(field: Any) -> dict[str, int]:
    """The names of an enumeration's values, or of the bits of a set of flags."""
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
