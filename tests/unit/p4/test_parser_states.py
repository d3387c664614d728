# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.p4.parser_states import check_parsers

NUMBERS = count(1)
# As the compiler writes it: one state in several parts, copies of a state, digits of one, three or four bits.
ASSEMBLY = """\
parser ingress:
  start: $init_match
  states:
    $init_match:
      *:
        load: { byte1 : 8 }
        next: $entry_point.start
    $entry_point.start:
      match: [ byte1 ]
          # - byte1: bits[7..0] -> meta.role
      0x01:
        next: ipv4
      0x**:
        next: ipv4
    ipv4:
      match: [ byte1, half, byte0 ]
      0b****0101***000000000000000000110:
        next: tcp
      0b****0101***000000000000000010001:
        load: { half : 24..25 }
        next: udp
      0x********:
        next: end
    udp:
      match: [ half ]
      0x000*:
        next: end
      0o00002*:
        next: end
      0x****:
        next: end
    tcp:
      *:
        load: { half : 2..3 }
        next: tcp.$split_0
    tcp.$split_0:
      match: [ half, byte0 ]
      0x****5*:
        next: end
      0x0f**6*:
        next: end
      0x******:
        next: end
    udp.$duplicate_0:
      match: [ half ]
      0x000*:
        next: end
      0o00002*:
        next: end
parser egress:
  states:
    start:
      *:
        next: end
deparser ingress:
  dictionary: {}
"""


def node(kind: str, **values: Any) -> dict[str, Any]:
    return {"Node_ID": next(NUMBERS), "Node_Type": kind, **values}


def listed(*items: dict[str, Any]) -> dict[str, Any]:
    return node("Vector", vec=list(items))


def again(whole: dict[str, Any]) -> dict[str, Any]:
    """A node that was written before."""
    return {"Node_ID": whole["Node_ID"]}


BITS = {size: node("Type_Bits", size=size) for size in (4, 8, 13, 16)}
ROLES = node(
    "Type_SerEnum",
    type=again(BITS[8]),
    members=listed(node("SerEnumMember", name="CPU", value=node("Constant", value="1", type=again(BITS[8])))),
)


def constant(value: int, size: int) -> dict[str, Any]:
    return node("Constant", value=str(value), type=again(BITS[size]))


def case(text: str, keyset: dict[str, Any]) -> dict[str, Any]:
    return node("SelectCase", keyset=keyset, Source_Info={"source_fragment": text})


def several(*parts: dict[str, Any]) -> dict[str, Any]:
    return node("ListExpression", components=listed(*parts))


def state(name: str, keys: list[dict[str, Any]], *cases: dict[str, Any]) -> dict[str, Any]:
    select = several(*(node("Member", type=again(key)) for key in keys))
    cases = (*cases, case("default: accept", node("DefaultExpression")))
    return node(
        "ParserState",
        name=name,
        selectExpression=node("SelectExpression", select=select, selectCases=listed(*cases)),
    )


def program() -> dict[str, Any]:
    def range_of(low: int, high: int) -> dict[str, Any]:
        return node("Range", left=constant(low, 16), right=constant(high, 16))

    def protocol(number: int) -> dict[str, Any]:
        return several(constant(5, 4), constant(0, 13), constant(number, 8))

    begins = node("Mask", left=constant(0x0F00, 16), right=constant(0xFF00, 16))
    states = listed(
        state("start", [ROLES], case("role_t.CPU:\n ipv4", node("Member", member="CPU"))),
        state(
            "ipv4",
            [BITS[4], BITS[13], BITS[8]],
            case("(5, 0, 6): tcp", protocol(6)),
            case("(5, 0, 17): udp", protocol(17)),
        ),
        state("udp", [BITS[16]], case("0 .. 23: plain", range_of(0, 23))),
        state(
            "tcp",
            [BITS[16], BITS[4]],
            case("(_, 5): request", several(node("DefaultExpression"), constant(5, 4))),
            case("(0x0f00 &&& 0xff00, 6): options", several(begins, constant(6, 4))),
        ),
        node("ParserState", name="accept"),
    )
    parsers = [
        node("P4Parser", name="OwnIngressParser", states=states),
        node("P4Parser", name="OwnEgressParser", states=listed(node("ParserState", name="accept"))),
    ]
    return node("P4Program", objects=listed(*BITS.values(), ROLES, *parsers))


def compiled(folder: Path, assembly: str = ASSEMBLY) -> Path:
    (folder / "frontend-ir.json").write_text(json.dumps(program()), encoding="utf-8")
    (folder / "own").mkdir()
    (folder / "own" / "tester.bfa").write_text(assembly, encoding="utf-8")
    return folder


def test_a_parser_with_all_branches_is_whole(tmp_path: Path) -> None:
    check_parsers("tester", compiled(tmp_path))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("      0x01:\n        next: ipv4\n", r"state start has no row for role_t\.CPU: ipv4"),
        ("      0b****0101***000000000000000010001:\n", r"state ipv4 has no row for \(5, 0, 17\): udp"),
        ("      0o00002*:\n", r"state udp has no row for 0 \.\. 23: plain"),
        ("      0x****5*:\n", r"state tcp has no row for \(_, 5\): request"),
        ("      0x0f**6*:\n", r"state tcp has no row for \(0x0f00 &&& 0xff00, 6\): options"),
        ("      match: [ byte1 ]\n", r"state start has no row for role_t\.CPU: ipv4"),
    ],
)
def test_a_branch_that_was_dropped_is_named(tmp_path: Path, row: str, said: str) -> None:
    assert row in ASSEMBLY
    output = compiled(tmp_path, ASSEMBLY.replace(row, "", 1))
    with pytest.raises(PlanError, match=rf"tester\.p4: .* the ingress of own: {said}; compile with"):
        check_parsers("tester", output)


def test_each_copy_of_a_state_has_all_branches(tmp_path: Path) -> None:
    head, _, copy = ASSEMBLY.rpartition("      0o00002*:\n")
    with pytest.raises(PlanError, match=r"state udp has no row for 0 \.\. 23"):
        check_parsers("tester", compiled(tmp_path, head + copy))


def test_as_many_rows_of_other_values_do_not_pass(tmp_path: Path) -> None:
    wrong = ASSEMBLY.replace("000010001:", "000010010:")
    with pytest.raises(PlanError, match=r"state ipv4 has no row for \(5, 0, 17\): udp"):
        check_parsers("tester", compiled(tmp_path, wrong))


def test_a_parser_that_is_missing_has_no_branches(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"state start has no row for role_t\.CPU"):
        check_parsers("tester", compiled(tmp_path, "deparser ingress:\n"))


def test_a_compiler_that_says_nothing_of_parsers_is_refused(tmp_path: Path) -> None:
    output = compiled(tmp_path)
    (output / "own" / "tester.bfa").unlink()
    with pytest.raises(PlanError, match=r"tester\.bfa: No such file.*the compiler did not write it"):
        check_parsers("tester", output)
    (output / "frontend-ir.json").write_text('[{"Node_ID": 1, "Node_Type": "P4Parser"}]', encoding="utf-8")
    with pytest.raises(PlanError, match=r"frontend-ir\.json says nothing of the program's parsers: KeyError"):
        check_parsers("tester", output)
