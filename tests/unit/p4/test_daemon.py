# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.p4.daemon import configuration, write_configuration
from TesterLibrary.targets.tofino.device_port import INTERNAL_PIPES


def test_each_pipe_runs_one_part_of_the_program(tmp_path: Path) -> None:
    path = write_configuration(tmp_path, "tofino", "tofino", INTERNAL_PIPES)
    assert path == tmp_path / "tofino.conf"
    told = json.loads(path.read_text(encoding="utf-8"))
    [device] = told["p4_devices"]
    [program] = device["p4_programs"]
    assert (device["device-id"], program["program-name"]) == (0, "tofino")
    assert program["bfrt-config"] == str(tmp_path / "bf-rt.json")
    assert [(part["p4_pipeline_name"], part["pipe_scope"]) for part in program["p4_pipelines"]] == [
        ("external", [0, 2]),
        ("internal", [1, 3]),
    ]
    assert program["p4_pipelines"][1]["context"] == str(tmp_path / "internal" / "context.json")
    assert program["p4_pipelines"][1]["config"] == str(tmp_path / "internal" / "tofino.bin")


@pytest.mark.parametrize(("chip", "family"), [("tofino", "Tofino"), ("tofino2", "Tofino2")])
def test_the_chip_is_called_as_the_daemon_calls_it(tmp_path: Path, chip: str, family: str) -> None:
    [told] = configuration(tmp_path, chip, chip, [1])["chip_list"]
    assert told["chip_family"] == family


def test_without_folded_pipes_one_can_be_internal(tmp_path: Path) -> None:
    [device] = configuration(tmp_path, "tofino", "tofino", [1])["p4_devices"]
    assert [part["pipe_scope"] for part in device["p4_programs"][0]["p4_pipelines"]] == [[0, 2, 3], [1]]


@pytest.mark.parametrize("internal", [[], [0, 1, 2, 3], [4], [-1]])
def test_both_kinds_of_pipes_are_needed(tmp_path: Path, internal: list[int]) -> None:
    with pytest.raises(PlanError, match=r"internal pipes .*: allowed are 1 to 3 of the pipes 0 to 3"):
        configuration(tmp_path, "tofino", "tofino", internal)
