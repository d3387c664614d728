# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The testbeds, suites, criteria, profile and title that the arguments of a certification choose."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.campaign.certification_arguments import certification
from TesterLibrary.errors import ChoiceError, TesterLibraryError
from TesterLibrary.files.paths import suite_root


def test_own_testbeds_get_the_suites_of_the_profile(tmp_path: Path) -> None:
    run = certification(profile="stateful", testbeds=["l3-router"], criteria=None, suites=(), output=tmp_path)
    (bed,) = run.beds
    assert (bed.testbed, bed.criteria) == ("embedded/l3-router", None)
    assert {path.stem for path in bed.suites} >= {"l4_gateway", "syn_flood"}


def test_criteria_that_are_given_win_over_those_that_a_suite_imports(tmp_path: Path) -> None:
    for name, bound in (("suites", "3 %"), ("given", "9 %")):
        text = f'CRITERIA: {{version: 1, layer: 2, throughput: {{"64": {bound}}}}}\n'
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    suite = tmp_path / "mine.robot"
    suite.write_text(
        "*** Settings ***\nVariables    ${CURDIR}/suites.yaml\n\n*** Test Cases ***\nIt Is The Given One\n"
        "    Should Be Equal    ${CRITERIA.throughput}[64]    9 %\n",
        encoding="utf-8",
    )
    given = str(tmp_path / "given.yaml")
    run = certification(
        profile="quick", testbeds=["l2-bridge"], criteria=given, suites=[str(suite)], output=tmp_path / "out"
    )
    run.begin()
    assert run.run()
    output = next((tmp_path / "out").rglob("*.xml")).read_text(encoding="utf-8")
    assert '<stat pass="1" fail="0" skip="0">All Tests</stat>' in output


def test_a_profile_without_runs_has_those_of_quick(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("PROFILE: {version: 1, name: mine, trial: {duration: 5 s}}\n", encoding="utf-8")
    mine, quick = (
        certification(profile=name, testbeds=(), criteria=None, suites=(), output=tmp_path)
        for name in (str(path), "quick")
    )
    assert mine.beds == quick.beds
    embedded = ["embedded/l2-bridge", "embedded/l3-router", "embedded/short-queue"]
    assert [bed.testbed for bed in quick.beds] == embedded
    assert [suite.stem for suite in quick.beds[0].suites] == [
        "__init__",
        "throughput",
        "latency",
        "frame_loss",
        "reset",
    ]
    last = [suite.stem for suite in quick.beds[2].suites]
    assert last == ["__init__", "back_to_back", "system_recovery"]
    assert mine.title == quick.title == "RFC 2544 certification"


def test_a_testbed_without_criteria_names_those_that_have_some(tmp_path: Path) -> None:
    with pytest.raises(
        TesterLibraryError,
        match=r"embedded/l2-bridge, embedded/l2-multicast, embedded/l2-switch, .*/l3-router, .*/short",
    ):
        certification(profile="quick", testbeds=["l7-balancer"], criteria=None, suites=(), output=tmp_path)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("TESTBED", "name the testbed by --testbed"),
        ("test_bed", "name the testbed by --testbed"),
        ("CRITERIA FILE", "name the criteria by --criteria"),
        ("Profile_File", "name the profile by --profile"),
    ],
)
def test_a_variable_that_the_run_sets_is_refused(name: str, instead: str, tmp_path: Path) -> None:
    with pytest.raises(ChoiceError, match=f"^the variable {name} is set by the run itself, .*; {instead}"):
        certification(
            profile="quick",
            testbeds=["breakpoint"],
            criteria=None,
            suites=(),
            output=tmp_path,
            variables={name: "hiccups"},
        )


@pytest.mark.parametrize(
    ("given", "title"),
    [
        (["mine.robot"], "Certification by mine"),
        (["rfc2544"], "RFC 2544 certification"),
        (["rfc2544/latency.robot"], "RFC 2544 certification"),
        (["rfc2544/latency.robot", "mine.robot"], "Certification by mine"),
        (
            ["mine.robot", "a.robot", "b.robot", "c.robot", "d.robot"],
            "Certification by mine, a, b and 2 more",
        ),
    ],
)
def test_no_suite_of_ones_own_is_titled_by_a_standard(tmp_path: Path, given: list[str], title: str) -> None:
    shipped = {name: suite_root() / name for name in given if name.startswith("rfc2544")}
    paths = [shipped.get(name, tmp_path / name) for name in given]
    for path in paths:
        if path.parent == tmp_path:
            path.write_text("*** Test Cases ***\nOne\n    No Operation\n")
    run = certification(
        profile="quick",
        testbeds=["embedded/l2-bridge"],
        criteria=None,
        suites=list(map(str, paths)),
        output=tmp_path / "out",
    )
    assert run.title == title
