# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.p4.parser_states import check_parsers

PROGRAM = """
parser OwnIngressParser(packet_in packet, out headers_t hdr) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: ipv4;
            default: accept;
        }
    }

#include "parsers/network.p4"
}
"""
NETWORK = """
state ipv4 {
    checksum.subtract({hdr.ipv4.src});
    transition select(hdr.ipv4.ihl, hdr.ipv4.proto) {
        (5, 6): tcp;           // a comment
        (5, 17): udp;
        default: accept;
    }
}

state tcp {
    transition accept;
}
"""


def compiled(folder: Path, rows: dict[str, int]) -> tuple[Path, Path]:
    source, output = folder / "source", folder / "out"
    (source / "parsers").mkdir(parents=True)
    (source / "own.p4").write_text(PROGRAM, encoding="utf-8")
    (source / "parsers" / "network.p4").write_text(NETWORK, encoding="utf-8")
    states = [{"parser_name": name, "tcam_rows": [0]} for name, count in rows.items() for _ in range(count)]
    (output / "own").mkdir(parents=True)
    (output / "own" / "context.json").write_text(
        json.dumps({"parser": {"ingress": states}}), encoding="utf-8"
    )
    return source, output


def test_a_row_for_each_case_is_enough(tmp_path: Path) -> None:
    check_parsers(*compiled(tmp_path, {"$entry_point.start": 2, "ipv4": 1, "ipv4.$split_0": 2}))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"$entry_point.start": 2}, "state ipv4 has 3 cases, 0 rows"),
        ({"$entry_point.start": 1, "ipv4": 3}, "state start has 2 cases, 1 rows"),
    ],
)
def test_a_dropped_branch_is_named(tmp_path: Path, rows: dict[str, int], said: str) -> None:
    with pytest.raises(PlanError, match=rf"own\.p4: .* the ingress of own: {said}"):
        check_parsers(*compiled(tmp_path, rows))


def test_a_compiler_that_says_nothing_of_parsers_is_refused(tmp_path: Path) -> None:
    source, output = compiled(tmp_path, {})
    (output / "own" / "context.json").write_text("{}", encoding="utf-8")
    with pytest.raises(PlanError, match=r"context\.json says nothing of the parser of the ingress"):
        check_parsers(source, output)
