# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.targets.tofino.session.daemon import (
    PipeScopes,
    WholeChip,
    configuration,
    scopes_of,
    write_configuration,
)


def test_each_pipe_runs_one_part_of_the_program(tmp_path: Path) -> None:
    path = write_configuration(tmp_path, "tofino", "tofino", PipeScopes())
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
    [told] = configuration(tmp_path, chip, chip, PipeScopes())["chip_list"]
    assert told["chip_family"] == family


@pytest.mark.parametrize(
    ("internal", "pipes", "external", "inside"),
    [([1], 4, [0, 2, 3], [1]), ([], 4, [0, 2], [1, 3]), ([], 2, [0], [1]), ([0], 2, [1], [0])],
)
def test_pipes_that_are_not_internal_are_external(
    internal: list[int], pipes: int, external: list[int], inside: list[int]
) -> None:
    assert PipeScopes.of(internal, pipes).record() == {"external": external, "internal": inside}


@pytest.mark.parametrize(("internal", "pipes"), [([0, 1, 2, 3], 4), ([4], 4), ([-1], 4), ([3], 2)])
def test_both_kinds_of_pipes_are_needed(internal: list[int], pipes: int) -> None:
    most = pipes - 1
    with pytest.raises(
        PlanError, match=rf"internal pipes .*: allowed are 1 to {most} of the pipes 0 to {most}"
    ):
        PipeScopes.of(internal, pipes)


@pytest.mark.parametrize("pipes", [-1, 1, 5])
def test_a_chip_has_two_to_four_pipes(pipes: int) -> None:
    with pytest.raises(PlanError, match=rf"{pipes} pipes: a chip has 2 to 4"):
        PipeScopes.of([], pipes)


def test_all_pipes_run_the_only_pipeline_of_a_program(tmp_path: Path) -> None:
    scopes = scopes_of(["path"], (), 2)
    assert (scopes, scopes.record()) == (WholeChip("path", 2), {"path": [0, 1]})
    path = write_configuration(tmp_path, "inline", "tofino", scopes)
    [program] = json.loads(path.read_text(encoding="utf-8"))["p4_devices"][0]["p4_programs"]
    [part] = program["p4_pipelines"]
    assert (part["p4_pipeline_name"], part["pipe_scope"]) == ("path", [0, 1])
    assert part["config"] == str(tmp_path / "path" / "tofino.bin")  # as the compiler calls it, by the chip


def test_a_program_with_one_pipeline_has_no_internal_pipes() -> None:
    assert scopes_of(["external", "internal"], [1], 2) == PipeScopes((1,), 2)
    with pytest.raises(PlanError, match="internal pipes 1, 3: all pipes of this profile run path"):
        scopes_of(["path"], [1, 3], 4)
    with pytest.raises(PlanError, match="5 pipes: a chip has 1 to 4"):
        scopes_of(["path"], (), 5)
