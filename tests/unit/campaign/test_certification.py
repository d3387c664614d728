# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The suites and testbeds of a certification, from its command line."""

from __future__ import annotations

import argparse
import json
import re
from hashlib import sha256
from pathlib import Path

import jsonschema
import pytest

from TesterLibrary.campaign.certification import Certification
from TesterLibrary.campaign.certification_arguments import certification
from TesterLibrary.commands import main as cli
from TesterLibrary.commands.certify import _tests
from TesterLibrary.errors import ChoiceError, TesterLibraryError
from TesterLibrary.files.paths import names, report_file, suite_root
from TesterLibrary.reporting.pages.repetitions import combined
from TesterLibrary.reporting.record.agenda import Item, expected_s
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.recorder import read_run
from TesterLibrary.reporting.record.records import read, short_names
from TesterLibrary.testbeds.load import find_testbed

SWITCHING = tuple(f"switching/{name}" for name in ("mesh", "forwarding_rate", "congestion", "broadcast"))
FRAME_SIZES = {"64", "128", "256", "512", "1024", "1280", "1518"}


def test_the_stateful_profile_runs_every_suite_and_expects_each(tmp_path: Path) -> None:
    run = certification(profile="stateful", testbeds=(), criteria=None, suites=(), output=tmp_path)
    suites = [path.stem for bed in run.beds for path in bed.suites]
    assert sorted(suites) == sorted(path.stem for path in Path("suites/stateful").glob("[a-z]*.robot"))
    items = list(run.items())
    assert all(item.expected_s for item in items)
    assert sum(item.expected_s for item in items) <= 600
    assert run.title == "Certification of stateful devices"


@pytest.mark.parametrize("second", ["a.robot", "night/a.robot"])
def test_two_suites_of_one_name_are_refused_with_both_files(tmp_path: Path, second: str) -> None:
    files = [tmp_path / "a.robot", tmp_path / second]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text("*** Test Cases ***\nOne\n    No Operation\n", encoding="utf-8")
    run = certification(
        profile="quick",
        testbeds=["simulated/breakpoint"],
        criteria=None,
        suites=list(map(str, files)),
        output=tmp_path / "out",
    )
    with pytest.raises(
        ChoiceError, match=re.escape(f"two suites have the name 'A': {files[0]} and {files[1]};")
    ):
        run.check()


def test_the_profile_mlrsearch_runs_its_suite_on_a_device_with_criteria(tmp_path: Path) -> None:
    run = certification(profile="mlrsearch", testbeds=(), criteria=None, suites=(), output=tmp_path)
    (bed,) = run.beds
    assert [path.stem for path in bed.suites] == ["__init__", "ndr_pdr"]
    assert {item.expected_s for item in run.items()} == {43}
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


def test_the_profile_multicast_runs_its_suites(tmp_path: Path) -> None:
    run = certification(profile="multicast", testbeds=(), criteria=None, suites=(), output=tmp_path)
    bed, tunnels = run.beds
    assert (bed.testbed, tunnels.testbed) == ("embedded/l2-multicast", "embedded/l2-tunnels")
    assert {*bed.suites, *tunnels.suites} == set((suite_root() / "multicast").glob("*.robot"))
    assert all(item.expected_s for item in run.items())
    assert bed.criteria
    assert "multicast:" in Path(bed.criteria).read_text(encoding="utf-8")


def test_the_profile_service_activation_runs_its_suites(tmp_path: Path) -> None:
    run = certification(profile="service-activation", testbeds=(), criteria=None, suites=(), output=tmp_path)
    (bed,) = run.beds
    assert (bed.testbed, bed.criteria) == ("embedded/policer", None)
    assert set(bed.suites) == set((suite_root() / "service_activation").glob("*.robot"))
    assert all(item.expected_s for item in run.items())


@pytest.mark.parametrize("profile", names("criteria/profiles"))
def test_each_shipped_profile_says_how_long_it_takes(profile: str, tmp_path: Path) -> None:
    run = certification(profile=profile, testbeds=(), criteria=None, suites=(), output=tmp_path)
    assert all(item.expected_s for item in run.items())
    assert run.suite_s


def test_the_expected_time_is_that_of_the_tests_and_of_opening_the_tester() -> None:
    beds = [("bridge", "A", "one"), ("bridge", "A", "two"), ("bridge", "B", "one"), ("router", "A", "one")]
    items = [Item(*bed, expected_s=10) for bed in beds]
    assert expected_s(items, 4) == 4 * 10 + 3 * 4
    assert expected_s(items[:1], 0) == 10
    assert expected_s([], 4) == 0


@pytest.mark.parametrize(
    ("profile", "testbed", "folder", "criteria"),
    [
        ("tcp-throughput", "embedded/long-line", "tcp_throughput", None),
        ("data-center", "embedded/l2-switch", "data_center", "data_center:"),
    ],
)
def test_a_profile_runs_the_suites_of_its_folder(
    profile: str, testbed: str, folder: str, criteria: str | None, tmp_path: Path
) -> None:
    run = certification(profile=profile, testbeds=(), criteria=None, suites=(), output=tmp_path)
    (bed,) = run.beds
    assert bed.testbed == testbed
    assert set(bed.suites) == set((suite_root() / folder).glob("*.robot"))
    assert all(item.expected_s for item in run.items())
    assert bool(bed.criteria) == bool(criteria)
    assert not criteria or criteria in Path(str(bed.criteria)).read_text(encoding="utf-8")


def test_each_suite_has_a_row_for_each_frame_size() -> None:
    names = ("throughput", "latency", "frame_loss", "back_to_back", "system_recovery")
    others = ("mlrsearch/ndr_pdr", "data_center/microburst", *SWITCHING)
    for name in (*(f"rfc2544/{name}" for name in names), *others):
        text = (suite_root() / f"{name}.robot").read_text()
        rows = {line.split()[0] for line in text.splitlines() if "Bytes  " in line}
        assert rows == FRAME_SIZES


def test_a_single_suite_keeps_the_name_of_its_file(tmp_path: Path) -> None:
    def suite(name: str) -> Path:
        path = tmp_path / f"{name}.robot"
        path.write_text(
            "*** Settings ***\nSuite Setup    Log    before\n\n*** Test Cases ***\nForwards\n"
            f"    Should Be Equal    ${{SUITE_NAME}}    l2-bridge.{name.capitalize()}\n",
            encoding="utf-8",
        )
        return path

    for name in ("mine", "theirs"):
        run = certification(
            profile="quick",
            testbeds=["l2-bridge"],
            criteria=None,
            suites=[str(suite(name))],
            output=tmp_path / f"out-{name}",
        )
        (item,) = run.begin()
        assert item.suite == f"l2-bridge.{name.capitalize()}"
        assert run.run()
        output = next((tmp_path / f"out-{name}" / "robot").glob("*.xml")).read_text(encoding="utf-8")
        assert '<stat pass="1" fail="0" skip="0">All Tests</stat>' in output


def criteria(tmp_path: Path, layer: int = 2, more: str = "") -> str:
    path = tmp_path / "bounds.yaml"
    sizes = '{"64": 3 %, "512": 5 %}'
    path.write_text(
        f"CRITERIA: {{version: 1, layer: {layer}, throughput: {sizes}{more}}}\n", encoding="utf-8"
    )
    return str(path)


def run_with(tmp_path: Path, bounds: str, *tests: str) -> Certification:
    return certification(
        profile="quick",
        testbeds=["l2-bridge"],
        criteria=bounds,
        suites=[str(suite_root() / "rfc2544" / f"{name}.robot") for name in ("throughput", "reset")],
        output=tmp_path / "out",
        tests=tests,
    )


def test_criteria_that_lack_bounds_are_refused_before_anything_runs(tmp_path: Path) -> None:
    bounds = criteria(tmp_path, more=", reset: {software: 1 s}")
    with pytest.raises(TesterLibraryError) as caught:
        run_with(tmp_path, bounds).begin()
    assert str(caught.value) == (
        f"{bounds} lacks bounds that the tests ask for: throughput of 128, 256, 1024, 1280, 1518; reset of "
        "hardware, power. Give them there, or choose the sizes that it has, --size 64 --size 512, or choose "
        "tests with --test, --include or --exclude"
    )
    assert not (tmp_path / "out").exists()


def test_a_section_that_criteria_lack_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(TesterLibraryError, match=r"1518; reset\. Give them there, or choose the sizes"):
        run_with(tmp_path, criteria(tmp_path)).begin()


def test_sizes_that_criteria_have_can_be_chosen(tmp_path: Path) -> None:
    options = argparse.Namespace(test=["Software Reset"], size=["64", "512"])
    bounds = criteria(tmp_path, more=", reset: {software: 1 s}")
    items = run_with(tmp_path, bounds, *_tests(options)).begin()
    assert [item.test for item in items] == ["64 Bytes", "512 Bytes", "Software Reset"]


def test_criteria_of_another_layer_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        TesterLibraryError,
        match=r"bounds.yaml:1: CRITERIA.layer: these are criteria for a device of layer 3, and that of the "
        r"testbed 'l2-bridge' has layer 2; give",
    ):
        run_with(tmp_path, criteria(tmp_path, layer=3)).begin()


def test_the_files_of_a_run_are_recorded_with_their_digests(tmp_path: Path) -> None:
    bounds = criteria(tmp_path, more=", reset: {software: 1 s}")
    run = run_with(tmp_path, bounds, "64 Bytes")
    run.begin()
    files = read_run(run.output / EVIDENCE)["files"]
    assert [(file["kind"], file["name"]) for file in files] == [
        ("testbed", "l2-bridge.yaml"),
        ("profile", "quick.yaml"),
        ("criteria", "bounds.yaml"),
        ("suite", "throughput.robot"),
        ("suite", "reset.robot"),
        ("import", "../../resources/rfc2544.resource"),
    ]
    assert files[2]["sha256"] == sha256(Path(bounds).read_bytes()).hexdigest()
    schema = json.loads(report_file("schemas/run.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(read_run(run.output / EVIDENCE), schema)


def opens(tmp_path: Path, text: str, *testbeds: str) -> Certification:
    """A run of a suite that imports a resource, on one or more testbeds."""
    (tmp_path / "mine.resource").write_text(
        "*** Settings ***\nLibrary    Collections\n*** Keywords ***\nMine\n    No Operation\n"
    )
    suite = tmp_path / "mine.robot"
    suite.write_text(f"{text}\n*** Test Cases ***\nFirst\n    No Operation\n")
    return certification(
        profile="quick", testbeds=testbeds, criteria=None, suites=[str(suite)], output=tmp_path / "out"
    )


@pytest.mark.parametrize(
    ("text", "line", "instead"),
    [
        ("*** Settings ***\nLibrary    TesterLibrary    testbed=hiccups", 2, "testbed=${TESTBED}"),
        ("*** Settings ***\nLibrary    TesterLibrary    hiccups    seed=2", 2, "testbed=${TESTBED}"),
        (
            "*** Settings ***\nLibrary    TesterLibrary    seed=2\n...    testbed=hiccups",
            3,
            "testbed=${TESTBED}",
        ),
        (
            "*** Settings ***\nLibrary    TesterLibrary    testbed=${BED}\n"
            "*** Variables ***\n${BED}    ${KIND}hiccups\n${KIND}    simulated/",
            2,
            "testbed=${TESTBED}",
        ),
        (
            "*** Settings ***\nLibrary    TesterLibrary\nSuite Setup    Run Keywords\n"
            "...    use_testbed    hiccups    AND    Open Tester",
            4,
            "Use Testbed    ${TESTBED}",
        ),
        ("*** Keywords ***\nMine\n    TesterLibrary.Use Testbed    hiccups", 3, "Use Testbed    ${TESTBED}"),
        ("*** Keywords ***\nMine\n    Use Testbed    nowhere", 3, "Use Testbed    ${TESTBED}"),
    ],
)
def test_a_suite_that_opens_another_testbed_is_refused(
    text: str, line: int, instead: str, tmp_path: Path
) -> None:
    run = opens(tmp_path, text, "simulated/breakpoint")
    named = "nowhere" if "nowhere" in text else "simulated/hiccups" if "KIND" in text else "hiccups"
    with pytest.raises(ChoiceError) as caught:
        run.begin()
    assert str(caught.value) == (
        f"{tmp_path / 'mine.robot'}:{line}: this suite opens the testbed {named}, and the run is on "
        f"simulated/breakpoint; write {instead}, which the run sets"
    )
    assert not (tmp_path / "out").exists()


def test_a_resource_that_opens_another_testbed_is_refused_on_the_second_one(tmp_path: Path) -> None:
    text = "*** Settings ***\nResource    ${CURDIR}/mine.resource"
    run = opens(tmp_path, text, "simulated/hiccups", "simulated/breakpoint")
    (tmp_path / "mine.resource").write_text(
        "*** Settings ***\nLibrary    TesterLibrary    testbed=simulated/hiccups\n"
        "*** Keywords ***\nMine\n    Use Testbed    hiccups\n"
    )
    with pytest.raises(
        ChoiceError, match=r"mine\.resource:2: .* on simulated/breakpoint; .*; 1 more place like"
    ):
        run.check()


@pytest.mark.parametrize(
    "text",
    [
        "*** Settings ***\nLibrary    TesterLibrary    ${TESTBED}\n*** Variables ***\n${TESTBED}    hiccups",
        "*** Settings ***\nLibrary    TesterLibrary    testbed=breakpoint",  # the one of the run
        "*** Settings ***\nLibrary    TesterLibrary    testbed=${SET BY A TEST}",  # judged when opened
        "*** Settings ***\nLibrary    Collections    hiccups",
    ],
)
def test_a_suite_that_takes_the_testbed_of_the_run_is_run(text: str, tmp_path: Path) -> None:
    assert len(opens(tmp_path, text, "simulated/breakpoint").check()) == 1


def test_names_with_dots_are_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bed = tmp_path / "bed.yaml"
    shipped = find_testbed("simulated/breakpoint").read_text(encoding="utf-8")
    bed.write_text(re.sub("^name: .*", "name: router-v1.0", shipped, flags=re.M), encoding="utf-8")
    suite = tmp_path / "suites 1.0" / "release 2.1" / "smoke-v3.1.robot"
    suite.parent.mkdir(parents=True)
    suite.write_text(
        "*** Settings ***\nLibrary    TesterLibrary    testbed=${TESTBED}\nSuite Setup    Open Tester\n"
        "Suite Teardown    Close Tester\n*** Test Cases ***\nWorks In 1.0\n"
        "    Create Stream    north    tx=p1    rx=p2    frame_size=64    rate=10 %\n"
        "    Measure Loss    north    duration=10 ms\n    Verify Loss Below    0\n",
        encoding="utf-8",
    )
    Path("night.yaml").write_text(
        "version: 1\nsuites: [suites 1.0]\ntestbeds: [bed.yaml]\nrepetitions: 2\noutput: night\n"
    )
    assert cli.main(["run", "night.yaml"]) == 0
    records = read(Path("night", EVIDENCE))
    assert records.agenda
    names = ["router-v1.0.Release 2.1.Smoke-V3.1", "router-v1.0 (2).Release 2.1.Smoke-V3.1"]
    assert [(test.suite, test.test) for test in records.tests] == [(name, "Works In 1.0") for name in names]
    assert records.agenda.title == "Certification by suites 1.0"
    assert short_names((names[0], "router-v1.0.Long")) == ("Smoke-V3.1", "Long")
    (value,) = combined(records)  # both repetitions are one
    assert value.place.suite == names[0]
    assert len({item.alike for item in records.agenda.items}) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("*** Test Cases ***\nFirst\n    No Operation\n", "it does not import TesterLibrary"),
        (
            "*** Settings ***\nLibrary    TesterLibrary\n*** Test Cases ***\nFirst\n"
            "    Evaluate    os.kill(os.getpid(), 9)\n",
            "Robot was killed by SIGKILL",
        ),
    ],
)
def test_what_was_not_started_says_why(
    text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.robot").write_text(text, encoding="utf-8")
    assert cli.main(["certify", "--suite", "mine.robot", "--testbed", "simulated/breakpoint"]) == 3
    assert re.search(f"ERROR +breakpoint.Mine: no record of First; .*{why}", capsys.readouterr().out)
    for page in ("certificate.html", "certificate.json", "junit.xml", "summary.md"):
        assert why in Path("results", "latest", page).read_text(encoding="utf-8")


def test_a_suite_that_is_gone_says_so(tmp_path: Path) -> None:
    run = opens(tmp_path, "", "simulated/breakpoint")
    run.begin()
    (tmp_path / "mine.robot").unlink()
    run.run()
    why = read(run.output / EVIDENCE).why_not_run("breakpoint.Mine")
    assert why.startswith("the suite mine.robot has changed since the run began")
