# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables that are written over `IP`, over IPv6."""

from __future__ import annotations

import re
from collections.abc import Mapping

_STACK = re.compile(r"Ether / IP(?:\((?P<arguments>[^)]*)\))? / (?:TCP|UDP)\b")
_FIELD = re.compile(r"\bIP\.(\w+)")
_ADDRESS = re.compile(r"\bIP\.(src|dst)\b")
_ALIKE = {"src": "src", "dst": "dst", "ttl": "hlim", "tos": "tc"}
_LEFT_OUT = {"flags=DF"}  # routers never fragment IPv6
_PARTS = ("headers", "flow", "templates", "table")


def over_ipv6(document: Mapping[str, object]) -> Mapping[str, object] | None:
    """The document of a protocol over `Ether / IP`, with IPv6 in place of IP; None for every other one.

    `IP.ttl` becomes `IPv6.hlim`, `IP.tos` `IPv6.tc`. A table that names another field of IPv4, or compares
    addresses, is one for IPv4.
    """
    if not _STACK.match(str(document.get("headers", ""))):
        return None
    try:
        return {key: _translated(value) if key in _PARTS else value for key, value in document.items()}
    except KeyError:
        return None


def _translated(value: object) -> object:
    """KeyError for what IPv6 does not have."""
    if isinstance(value, str):
        return _FIELD.sub(lambda name: f"IPv6.{_ALIKE[name[1]]}", _STACK.sub(_stack, value))
    if isinstance(value, Mapping):
        if _ADDRESS.search(repr(value.get("when"))):
            raise KeyError("addresses of 32 bits")
        return {_translated(key): _translated(part) for key, part in value.items()}
    return [_translated(part) for part in value] if isinstance(value, list) else value


def _stack(stack: re.Match[str]) -> str:
    written = {part.strip() for part in (stack["arguments"] or "").split(",")} - {""}
    if written - _LEFT_OUT:
        raise KeyError(stack[0])
    return f"Ether / IPv6 / {stack[0].rpartition(' ')[2]}"
