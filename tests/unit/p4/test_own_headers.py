# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files.headers import load_headers
from TesterLibrary.model.headers import FieldType, HeaderType
from TesterLibrary.p4.own_headers import own_headers

OUTER = HeaderType(
    "OuterTag", (FieldType("next", 16),), {"Ether": {"type": 0x88B5}}, {"InnerTag": {"next": 7}}
)
INNER = HeaderType(
    "InnerTag",
    (FieldType("type", 8), FieldType("flow", 24), FieldType("key", 32)),
    {},
    {"IP": {"type": 4}, "IPv6": {"type": 6}},
)


def macro(text: str, name: str) -> str:
    """One word apart, as a preprocessor puts it in place."""
    found = re.search(rf"#define {name}((?:.*\\\n)*.*)\n", text)
    assert found, name
    return " ".join(found[1].replace("\\\n", " ").split())


def test_without_headers_nothing_is_added() -> None:
    text = own_headers([])
    names = re.findall(r"#define (OWN_[A-Z_0-9]+)$", text, re.MULTILINE)
    assert names == [
        "OWN_HEADERS_P4",
        "OWN_MEMBERS",
        "OWN_ETHERNET_TYPES",
        "OWN_STATES",
        "OWN_EDITS",
        "OWN_EDIT_NAMES",
    ]


def test_the_shipped_example() -> None:
    text = own_headers(load_headers("example"))
    assert "header own_fabric_tag_h {\n    bit<4> f_kind;\n    bit<12> f_id;\n    bit<16> f_next;\n}" in text
    assert macro(text, "OWN_ETHERNET_TYPES") == "34998: own_fabric_tag;"
    assert macro(text, "OWN_STATES") == (
        "state own_fabric_tag { packet.extract(hdr.own_fabric_tag); "
        "transition select(hdr.own_fabric_tag.f_next) { 2048: ipv4; 34525: ipv6; default: accept; } }"
    )


def test_one_behind_another_is_written_behind_it() -> None:
    text = own_headers([INNER, OUTER])
    assert macro(text, "OWN_MEMBERS") == "own_outer_tag_h own_outer_tag; own_inner_tag_h own_inner_tag;"
    assert "select(hdr.own_outer_tag.f_next) { 7: own_inner_tag; default: accept; }" in macro(
        text, "OWN_STATES"
    )


def test_fields_as_wide_as_an_operation_are_edited() -> None:
    text = own_headers([INNER, OUTER])
    assert macro(text, "OWN_EDIT_NAMES") == "own_outer_tag_f_next; own_inner_tag_f_key;"
    edits = macro(text, "OWN_EDITS")
    assert "hdr.own_outer_tag.f_next = base + half;" in edits
    assert "hdr.own_inner_tag.f_key = base + number;" in edits


@pytest.mark.parametrize(
    ("types", "said"),
    [
        ([OUTER, OUTER], "headers OuterTag, OuterTag: each is given once"),
        (
            [HeaderType("Tag", (FieldType("a", 8),), {"UDP": {"dport": 9}})],
            "'Tag' follows UDP by dport; on a switch one follows Ether or Dot1Q by its type",
        ),
        (
            [HeaderType("Tag", (FieldType("a", 8),), {}, {"TCP": {"a": 1}})],
            "'Tag' carries TCP; on a switch one carries IP, IPv6, ARP",
        ),
        (
            [
                HeaderType(
                    "Tag", (FieldType("a", 8), FieldType("b", 8)), {}, {"IP": {"a": 1}, "ARP": {"b": 1}}
                )
            ],
            "'Tag' says by a, b what follows it; on a switch one field does",
        ),
        (
            [HeaderType("Tag", (FieldType("a", 256),))],
            "'Tag': field a of 256 bits; a switch takes 128",
        ),
        (
            [
                HeaderType("One", (FieldType("a", 8),), {}, {"Two": {"a": 1}}),
                HeaderType("Two", (FieldType("a", 8),), {}, {"One": {"a": 1}}),
            ],
            "headers One, Two announce one another in a circle",
        ),
    ],
)
def test_what_the_program_cannot_parse_is_refused(types: list[HeaderType], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        own_headers(types)
