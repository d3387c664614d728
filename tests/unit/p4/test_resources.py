# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.p4.resources import resources

# Of a pipeline with a table of two blocks and a register in the ingress, a table and a meter in the egress.
DIRECTIONS = {"In.table": "ingress", "In.register": "ingress", "Out.table": "egress", "Out.meter": "egress"}


def stage(number: int, **taken: list[dict[str, Any]]) -> dict[str, Any]:
    places = {
        "rams": "srams",
        "tcams": "tcams",
        "meter_alus": "meters",
        "statistic_alus": "stats",
        "logical_tables": "ids",
    }
    return {"stage_number": number} | {kind: {place: taken.get(kind, [])} for kind, place in places.items()}


def use(name: str, what: str = "match_entry_ram") -> dict[str, Any]:
    return {"usages": [{"used_by": name, "used_for": what}]}


def report(folder: Path, stages: list[dict[str, Any]], chip: int = 12) -> Path:
    pipeline = folder / "own"
    (pipeline / "logs").mkdir(parents=True)
    tables = [{"name": name, "direction": gress} for name, gress in DIRECTIONS.items()]
    mau = {"nStages": chip, "mau_stages": stages}
    phv = {"normal": [{"width": 8, "units": 4}], "tagalong": [{"width": 32, "units": 1}]}
    containers = [
        {"bit_width": 8, "gress": "ingress", "slices": [{}]},
        {"bit_width": 32, "gress": "egress", "slices": [{}]},
        {"bit_width": 8, "gress": "egress", "slices": []},
    ]
    for name, content in {
        "context.json": {"tables": tables},
        "logs/resources.json": {
            "compiler_version": "1.2",
            "resources": {"mau": mau, "phv_containers": phv},
        },
        "logs/phv.json": {"containers": containers},
    }.items():
        (pipeline / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


STAGES = [
    stage(0, rams=[use("In.table"), use("In.table")], logical_tables=[{"table_name": "In.table"}]),
    stage(
        3,
        rams=[use("In.register", "stateful_ram"), use("Out.meter", "meter_ram")],
        meter_alus=[use("In.register", "stateful_ram"), use("Out.meter", "meter_ram")],
        logical_tables=[{"table_name": "Out.table"}],
    ),
]


def test_what_each_gress_takes(tmp_path: Path) -> None:
    found = resources(report(tmp_path, STAGES))
    ingress, egress = found.uses
    assert (ingress.gress, ingress.stages, ingress.sram, ingress.registers) == ("ingress", 4, 3, 1)
    assert (egress.gress, egress.stages, egress.sram, egress.meters) == ("egress", 4, 1, 1)
    assert (ingress.tables, egress.tables) == (1, 1)
    assert (ingress.phv_bits, egress.phv_bits, found.chip.phv_bits) == (8, 32, 64)


def test_the_table_has_a_line_for_each_gress_and_one_for_the_chip(tmp_path: Path) -> None:
    lines = resources(report(tmp_path, STAGES)).table().splitlines()
    heads = [line.split()[:2] for line in lines[:3]]
    assert heads == [["pipeline", "gress"], ["own", "ingress"], ["own", "egress"]]
    assert lines[3].split()[:5] == ["of", "a", "pipeline", "both", "12"]


def test_a_program_with_too_many_stages_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="stages of the ingress of own: 4 needed, 2 there, 2 too many"):
        resources(report(tmp_path, STAGES, chip=2))


def test_without_a_report_it_is_said_where_it_should_be(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"has no resources\.json"):
        resources(tmp_path)
