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

# 1 "source/parsers/network.p4" 1
state ipv4 {
    checksum.subtract({hdr.ipv4.src});
    transition select(hdr.ipv4.ihl, hdr.ipv4.proto) {
        (5, 6): tcp;
        (5, 17): udp;
        default: accept;
    }
}
state own_tag { extract(hdr.own_tag); transition select(hdr.own_tag.next) { 7: ipv4; default: accept; } }
state tcp {
    transition accept;
}
}
control OwnIngress(inout headers_t hdr) {
    apply { }
}
"""
WHOLE = {"$entry_point.start": 2, "ipv4": 1, "ipv4.$split_0": 2, "own_tag": 2}


def compiled(folder: Path, rows: dict[str, int]) -> tuple[Path, Path]:
    program, output = folder / "own.p4pp", folder / "out"
    program.write_text(PROGRAM, encoding="utf-8")
    states = [{"parser_name": name, "tcam_rows": [0]} for name, count in rows.items() for _ in range(count)]
    (output / "own").mkdir(parents=True)
    (output / "own" / "context.json").write_text(
        json.dumps({"parser": {"ingress": states}}), encoding="utf-8"
    )
    return program, output


def test_a_row_for_each_case_is_enough(tmp_path: Path) -> None:
    check_parsers(*compiled(tmp_path, WHOLE))


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ({"ipv4.$split_0": 0}, "state ipv4 has 3 cases, 1 rows"),
        ({"$entry_point.start": 1}, "state start has 2 cases, 1 rows"),
        ({"own_tag": 0}, "state own_tag has 2 cases, 0 rows"),
    ],
)
def test_a_dropped_branch_is_named(tmp_path: Path, lost: dict[str, int], said: str) -> None:
    with pytest.raises(PlanError, match=rf"own\.p4pp: .* the ingress of own: {said}"):
        check_parsers(*compiled(tmp_path, WHOLE | lost))


def test_a_compiler_that_says_nothing_of_parsers_is_refused(tmp_path: Path) -> None:
    program, output = compiled(tmp_path, WHOLE)
    (output / "own" / "context.json").write_text("{}", encoding="utf-8")
    with pytest.raises(PlanError, match=r"context\.json says nothing of the parser of the ingress"):
        check_parsers(program, output)
