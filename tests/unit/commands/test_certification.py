# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What is certified where, from what a person types."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.commands._certification import certification
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.files.paths import suite_root

SWITCHING = ("switching/mesh", "switching/forwarding_rate", "switching/congestion")
FRAME_SIZES = {"64", "128", "256", "512", "1024", "1280", "1518"}


def test_the_stateful_profile_runs_every_suite_and_expects_each(tmp_path: Path) -> None:
    run = certification(profile="stateful", testbeds=(), criteria=None, suites=(), output=tmp_path)
    suites = [path.stem for bed in run.beds for path in bed.suites]
    assert sorted(suites) == sorted(path.stem for path in Path("suites/stateful").glob("[a-z]*.robot"))
    items = list(run.items())
    assert all(item.expected_s for item in items)
    assert sum(item.expected_s for item in items) <= 600
    assert run.title == "Certification of stateful devices"


def test_own_testbeds_get_the_suites_of_the_profile(tmp_path: Path) -> None:
    run = certification(profile="stateful", testbeds=["l3-router"], criteria=None, suites=(), output=tmp_path)
    (bed,) = run.beds
    assert (bed.testbed, bed.criteria) == ("embedded/l3-router", None)
    assert {path.stem for path in bed.suites} >= {"l4_gateway", "syn_flood"}


def test_the_profile_mlrsearch_runs_its_suite_on_a_device_with_criteria(tmp_path: Path) -> None:
    run = certification(profile="mlrsearch", testbeds=(), criteria=None, suites=(), output=tmp_path)
    (bed,) = run.beds
    assert [path.stem for path in bed.suites] == ["__init__", "ndr_pdr"]
    assert {item.expected_s for item in run.items()} == {90}
    assert bed.criteria
    assert "mlrsearch:" in Path(bed.criteria).read_text(encoding="utf-8")


def test_the_profile_switching_runs_its_suites_on_four_ports(tmp_path: Path) -> None:
    run = certification(profile="switching", testbeds=(), criteria=None, suites=(), output=tmp_path)
    (bed,) = run.beds
    assert bed.testbed == "embedded/l2-switch"
    assert set(bed.suites) == set((suite_root() / "switching").glob("*.robot"))
    assert all(item.expected_s for item in run.items())
    assert bed.criteria
    assert "switching:" in Path(bed.criteria).read_text(encoding="utf-8")


def test_the_profile_service_activation_runs_its_suites(tmp_path: Path) -> None:
    run = certification(profile="service-activation", testbeds=(), criteria=None, suites=(), output=tmp_path)
    (bed,) = run.beds
    assert (bed.testbed, bed.criteria) == ("embedded/policer", None)
    assert set(bed.suites) == set((suite_root() / "service_activation").glob("*.robot"))
    assert all(item.expected_s for item in run.items())


def test_each_suite_has_a_row_for_each_frame_size() -> None:
    names = ("throughput", "latency", "frame_loss", "back_to_back", "system_recovery")
    for name in (*(f"rfc2544/{name}" for name in names), "mlrsearch/ndr_pdr", *SWITCHING):
        text = (suite_root() / f"{name}.robot").read_text()
        rows = {line.split()[0] for line in text.splitlines() if "Bytes  " in line}
        assert rows == FRAME_SIZES


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
        match=r"embedded/l2-bridge, embedded/l2-switch, embedded/l3-router, embedded/short-queue, to be",
    ):
        certification(profile="quick", testbeds=["l7-balancer"], criteria=None, suites=(), output=tmp_path)
