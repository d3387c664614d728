# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.p4 import outputs, sources
from TesterLibrary.p4.build import build, default_protocols, generate
from TesterLibrary.p4.compiler import compile_program, find_compiler
from TesterLibrary.targets.tofino.session.program import SCHEMA


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def test_p4c_names_the_compiler(tmp_path: Path) -> None:
    path = program(tmp_path / "p4c")
    assert find_compiler({"P4C": str(path), "SDE_INSTALL": "/nowhere"}) == path


@pytest.mark.parametrize("name", ["bf-p4c", "p4c"])
def test_a_studio_has_it_in_its_bin(tmp_path: Path, name: str) -> None:
    path = program(tmp_path / "bin" / name)
    assert find_compiler({"SDE_INSTALL": str(tmp_path)}) == path


def test_without_a_compiler_it_is_said_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"there is no P4 compiler: set P4C .* or SDE_INSTALL"):
        find_compiler({})
    with pytest.raises(PlanError, match=r"P4C is '/nowhere/p4c', which is no program"):
        find_compiler({"P4C": "/nowhere/p4c"})
    with pytest.raises(PlanError, match=r"bin has no bf-p4c or p4c"):
        find_compiler({"SDE_INSTALL": str(tmp_path)})


def test_what_the_compiler_complains_of_is_passed_on(tmp_path: Path) -> None:
    path = program(tmp_path / "p4c", "#!/bin/sh\necho 'x.p4(3): error: no such table' >&2\nexit 2\n")
    with pytest.raises(
        PlanError, match=r"x\.p4 was not compiled: .*p4c says\nx\.p4\(3\): error: no such table"
    ):
        compile_program(path, tmp_path / "x.p4", tmp_path / "out", chip="tofino", architecture="tna")


def test_warnings_do_not_hide_the_error(tmp_path: Path) -> None:
    """A compiler goes on with the other pipeline, and has more to say of it than is shown."""
    lines = [*("a.p4(1): warning: x",) * 30, "b.p4(2): error: no stage", *("c.p4(3): warning: y",) * 30]
    path = program(tmp_path / "p4c", "#!/bin/sh\ncat <<'END' >&2\n" + "\n".join(lines) + "\nEND\nexit 2\n")
    with pytest.raises(PlanError) as refused:
        compile_program(path, tmp_path / "x.p4", tmp_path / "out", chip="tofino", architecture="tna")
    assert str(refused.value).splitlines()[1] == "b.p4(2): error: no stage"


def test_what_the_compiler_leaves_where_it_runs_is_with_its_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = program(tmp_path / "p4c", "#!/bin/sh\ntouch compiler.log\n").relative_to(tmp_path)
    compile_program(path, Path("x.p4"), Path("out"), chip="tofino", architecture="tna")
    assert sorted(file.name for file in tmp_path.rglob("*.log")) == ["compiler.log"]
    assert (tmp_path / "out" / "compiler.log").exists()


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", sources.profiles())
def test_profiles_compile_and_fit(tmp_path: Path, name: str) -> None:
    try:
        compiler = find_compiler()
    except PlanError as missing:
        pytest.skip(str(missing))
    protocols = default_protocols(name)
    done = build(compiler, name, protocols, tmp_path / "out")
    assert done.digest == sources.digest(sources.profile(name), generate(protocols))
    assert len(done.resources.uses) == 2 * len(sources.pipelines(sources.profile(name)))
    for use in done.resources.uses:
        assert use.stages <= done.resources.chip.stages
    assert outputs.read(tmp_path / "out" / SCHEMA) == outputs.read(outputs.shipped(name) / SCHEMA)


def test_a_profile_without_protocols_refuses_them(tmp_path: Path) -> None:
    assert default_protocols("inline") == ()
    with pytest.raises(PlanError, match=r"inline has no protocols .* cannot be built with arp, mine\.yaml"):
        build(tmp_path / "p4c", "inline", ["arp"], tmp_path / "out", ["mine.yaml"])
    assert not (tmp_path / "out").exists()


def test_the_order_in_which_a_compiler_writes_does_not_matter(tmp_path: Path) -> None:
    path = outputs.shipped("tofino") / SCHEMA
    schema = json.loads(path.read_text(encoding="utf-8"))
    for table in schema["tables"]:
        table["depends_on"] = table["depends_on"][::-1]
        if "action_specs" in table:
            table["action_specs"].reverse()
    schema["tables"].reverse()
    (tmp_path / SCHEMA).write_text(json.dumps(schema), encoding="utf-8")
    assert outputs.read(tmp_path / SCHEMA) == json.loads(path.read_text(encoding="utf-8"))
    next(table for table in schema["tables"] if len(table["key"]) > 1)[
        "key"
    ].reverse()  # the order of a key's fields matters
    (tmp_path / SCHEMA).write_text(json.dumps(schema), encoding="utf-8")
    assert outputs.read(tmp_path / SCHEMA) != outputs.read(path)
