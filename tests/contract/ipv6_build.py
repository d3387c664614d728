# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A program of a Tofino 2 with servers of IPv6, as far as a driver sees it, without a compiler."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from TesterLibrary.p4.build import Parts, default_protocols
from TesterLibrary.p4.outputs import shipped
from TesterLibrary.targets.tofino.session.program import NOTES, SCHEMA

_OF_IPV4 = ("http-get", "dns-one")
PROTOCOLS = tuple(f"{name}-ipv6" if name in _OF_IPV4 else name for name in default_protocols("tofino2"))
_HEADERS = "responder.efsm.headers"
_CLASSES = "classifier.classes"
_CLASS_KEYS = {"ipv6_valid": 1, "ipv6_src_low": 32, "ipv6_dst_high": 96, "ipv6_dst_low": 32}  # bits of each


def ipv6_build(folder: Path) -> Path:
    """The shipped outputs with tables of IPv6 in the place of those of IPv4, in a folder."""
    schema = json.loads((shipped("tofino2") / SCHEMA).read_text(encoding="utf-8"))
    (headers,) = (table for table in schema["tables"] if table["name"].endswith(_HEADERS))
    tables = [_with_keys(_renamed(table)) for table in schema["tables"]]
    tables.append({**headers, "name": headers["name"].replace("headers", "ipv6_headers")})
    (folder / SCHEMA).write_text(json.dumps({**schema, "tables": tables}), encoding="utf-8")
    pipes = json.loads((shipped("tofino2") / NOTES).read_text(encoding="utf-8"))["pipes"]
    notes = {**Parts.of(PROTOCOLS).notes("tofino2"), "pipes": pipes}
    (folder / NOTES).write_text(json.dumps(notes), encoding="utf-8")
    return folder


def _renamed(table: dict[str, Any]) -> dict[str, Any]:
    """A table whose actions of answers are those of IPv6: their templates have the same names."""
    text = json.dumps(table)
    for name in _OF_IPV4:
        own = name.replace("-", "_")
        text = text.replace(f".{own}_", f".{own}_ipv6_").replace(f".{own}_ipv6_client_", f".{own}_client_")
    renamed: dict[str, Any] = json.loads(text)
    return renamed


def _with_keys(table: dict[str, Any]) -> dict[str, Any]:
    """The table of classes with the keys that only answers of IPv6 need; any other one as it is."""
    if not table["name"].endswith(_CLASSES):
        return table
    key = next(key for key in table["key"] if key["name"] == "ipv4_valid")
    new = [
        {**key, "id": 1000 + number, "name": name, "type": {"type": "bytes", "width": bits}}
        for number, (name, bits) in enumerate(_CLASS_KEYS.items())
    ]
    return {**table, "key": [*table["key"], *new]}
