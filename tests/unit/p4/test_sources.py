# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files.paths import data_root
from TesterLibrary.p4 import outputs, sources
from TesterLibrary.p4.build import generate, shipped
from TesterLibrary.p4.compiler import options
from TesterLibrary.planning.switch import editor as switch_editor
from TesterLibrary.planning.switch import resources as planner
from TesterLibrary.planning.switch.chip import TOFINO, TOFINO_2, Chip
from TesterLibrary.targets.tofino.session.program import Program


@pytest.mark.parametrize("name", sources.profiles())
def test_a_profile_names_its_chip(name: str) -> None:
    chip, architecture = sources.chip(sources.profile(name))
    assert (chip, architecture) in {("tofino", "tna"), ("tofino2", "t2na")}


def test_an_unknown_profile_is_refused_with_those_there_are() -> None:
    with pytest.raises(PlanError, match=r"'nope' is no profile; these are: .*tofino"):
        sources.profile("nope")


def test_every_source_belongs_to_a_profile() -> None:
    included = {file for name in sources.profiles() for file in sources.sources(sources.profile(name))}
    root = sources.root().resolve()
    there = {file for file in root.rglob("*.p4") if "build" not in file.relative_to(root).parts}
    assert there - included == set()


def test_no_part_of_a_program_depends_on_a_name_that_may_be_misspelt() -> None:
    """A misspelt name in a condition of the preprocessor is silent; a misspelt control is an error."""
    files = {file for name in sources.profiles() for file in sources.sources(sources.profile(name))}
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    conditions = [line for line in lines if re.match(r"#\s*(if|ifdef|ifndef|elif)\b", line)]
    assert len(conditions) > 20
    assert all(re.fullmatch(r"#ifndef \w+_P4", line) for line in conditions)


def test_the_hash_is_of_the_sources_and_of_what_is_generated() -> None:
    path = sources.profile("tofino")
    generated = dict.fromkeys(sources.GENERATED, "a")
    before = sources.digest(path, generated)
    assert sources.digest(path, dict(generated)) == before
    for name in sources.GENERATED:
        assert sources.digest(path, generated | {name: "b"}) != before


@pytest.mark.parametrize("name", sources.profiles())
def test_shipped_outputs_are_of_these_sources(name: str) -> None:
    report = json.loads((shipped(name) / "resources.json").read_text(encoding="utf-8"))
    digest = sources.digest(sources.profile(name), generate(report["protocols"], report["headers"]))
    assert report["sources_sha256"] == digest, f"run: tester p4 build {name} --ship"
    assert tuple(report["compiler_options"]) == options(*sources.chip(sources.profile(name)))


@pytest.mark.parametrize("name", sources.profiles())
def test_nobody_edited_the_shipped_outputs(name: str, tmp_path: Path) -> None:
    folder = shipped(name)
    report = json.loads((folder / outputs.REPORT).read_text(encoding="utf-8"))
    assert {path.name for path in folder.iterdir()} == {*outputs.OUTPUTS, outputs.REPORT}
    assert report["outputs_sha256"] == outputs.hashes(folder), f"run: tester p4 build {name} --ship"
    for edited in outputs.OUTPUTS:
        text = (folder / edited).read_text(encoding="utf-8")
        for kept in outputs.OUTPUTS:
            (tmp_path / kept).write_bytes((folder / kept).read_bytes())
        (tmp_path / edited).write_text(text.replace("0", "1", 1), encoding="utf-8")
        assert report["outputs_sha256"] != outputs.hashes(tmp_path)


def test_profiles_declare_pipelines() -> None:
    found = {name: sources.pipelines(sources.profile(name)) for name in sources.profiles()}
    assert found == {
        "inline": ["path"],
        "inline2": ["path"],
        "tofino": ["external", "internal"],
        "tofino2": ["external", "internal"],
    }


@pytest.mark.parametrize("name", ["tofino", "tofino2"])
def test_the_shipped_schema_has_what_a_driver_writes(name: str) -> None:
    schema = json.loads((shipped(name) / "bf-rt.json").read_text(encoding="utf-8"))
    tables = {table["name"].rsplit(".", 1)[-1]: table for table in schema["tables"]}
    assert {
        "classes",
        "templates",
        "meter",
        "ticks",
        "states",
        "rows",
        "versions",
        "histogram",
    } <= tables.keys()
    keys = [key["name"] for key in tables["signatures"]["key"]]
    assert keys == ["valid", "id", "rest"]


@pytest.mark.parametrize("name", sources.profiles())
def test_the_documented_resources_are_the_shipped_ones(name: str) -> None:
    report = json.loads((shipped(name) / "resources.json").read_text(encoding="utf-8"))
    page = (data_root() / "docs" / "tofino.md").read_text(encoding="utf-8")
    for use in report["uses"]:
        if use["tables"]:
            assert "| ".join(["", f"`{name}` ", *(f"{value} " for value in use.values())]) in page
    of_a_pipeline = " | ".join(str(value) for value in report["chip"].values())
    assert f"| *both* | {of_a_pipeline} |" in page


def test_units_of_the_program_are_those_that_the_planner_counts_on() -> None:
    rate = (sources.root() / "controls" / "rate.p4").read_text(encoding="utf-8")
    queries = (sources.root() / "controls" / "queries.p4").read_text(encoding="utf-8")
    assert queries.count("    Query() ") == queries.count("    TransmittedQuery() ") == planner.QUERIES
    assert rate.count("    PassSkip() ") == planner.PASS_SKIP_UNITS


@pytest.mark.parametrize("chip", [TOFINO, TOFINO_2], ids=lambda chip: chip.family)
def test_fields_of_a_template_that_change_are_those_that_the_planner_counts_on(chip: Chip) -> None:
    editor = (sources.root() / "controls" / "editor.p4").read_text(encoding="utf-8")
    profile = (sources.root() / "profiles" / f"{chip.profile}.p4").read_text(encoding="utf-8")
    units = editor.count("    EditorUnit() ")
    without = "#define THIRD_EDITOR NoThirdEditor" in profile
    assert without != ("#define THIRD_EDITOR ThirdEditor" in profile)
    assert chip.edited_fields == units - without


def test_sizes_of_the_program_are_the_planners() -> None:
    text = (sources.root() / "include" / "sizes.p4").read_text(encoding="utf-8")
    sizes = {
        words[2]: int(words[4].rstrip(";"))
        for line in text.splitlines()
        if (words := line.split())[:1] == ["const"]
    }
    assert sizes["QUEUES"] == planner.QUEUES
    assert sizes["QUEUE_ARRAY"] == planner.QUEUE_ARRAY
    assert sizes["LIST_VALUES"] == switch_editor.LIST_VALUES
    assert sizes["REPLIES"] == planner.REPLIES
    assert sizes["LINKS"] == planner.LINKS
    assert sizes["TRIGGERS"] == planner.TRIGGERS
    assert sizes["REPLY_ROWS"] == planner.REPLY_ROWS
    assert sizes["FLOW_CELLS"] == planner.FLOW_CELLS
    assert sizes["QUERY_ROWS"] == planner.QUERY_ROWS


@pytest.mark.parametrize("name", ["tofino", "tofino2"])
def test_notes_of_a_shipped_program_are_those_of_what_was_compiled(name: str) -> None:
    """Queue numbers of the notes are those that the generated actions ask."""
    notes = Program.load(shipped(name))
    text = generate(notes.protocols)["efsm.p4"]
    for queue, number in notes.queues.items():
        action = queue.replace("-", "_").replace(".", "_")
        body = text.partition(f"action {action}(")[2].partition("}")[0]
        assert f"reply.queue = {number};" in body
    assert len(notes.queues) == len(re.findall(r"reply\.queue = \d", text))  # entries have those of triggers
    with pytest.raises(PlanError, match=r"was built without dns; it has http-get, .*arp"):
        notes.check("dns")


def test_a_folder_without_notes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="does not say what a program was built with"):
        Program.load(tmp_path)


def test_include_paths_are_found_from_any_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = sources.sources(sources.profile("tofino"))
    monkeypatch.chdir(tmp_path)
    assert sources.sources(sources.profile("tofino")) == before
