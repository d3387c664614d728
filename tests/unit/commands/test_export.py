# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester export`: its files as robotframework-dashboard reads them, and as ReportPortal's import does."""

from __future__ import annotations

import io
import json
import shlex
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from TesterLibrary.commands.main import main
from TesterLibrary.reporting.export import reportportal
from TesterLibrary.reporting.export.facts import facts_of
from tests.unit.reporting.export.test_upload import StandIn, serving
from tests.unit.reporting.golden import GOLDEN

LIBRARY = Path(__file__).parents[1] / "reporting" / "SimulatedLibrary.py"
SUITE = f"""
*** Settings ***
Library    {LIBRARY}

*** Test Cases ***
Lossless Device
    Loss Is Below    10 %    0 %
    Loss Is Below    20 %    0 %

Lossy Device
    Loss Is Below    100 %    0.001 %

Tester Too Slow
    Loss Is Below    100 %    0.001 %    tester_limit=${{0}}

Nobody Judges
    Run Keyword And Return Status    Loss Is Below    100 %    0 %

Broken
    Fail    boom: <&>
"""
DEVICE = {"name": "router", "vendor": "Acme", "kind": "physical", "version": "1.0: beta"}


def tell_devices(run: Path, *versions: str) -> Path:
    """Puts testers into a run without any; its suites have a tester that is simulated."""
    path = run / "evidence" / "run.json"
    beds = [
        {
            "testbed": {"name": f"lab/north-{n}", "dut": {**DEVICE, "version": version}},
            "tester": {"target": "engine"},
        }
        for n, version in enumerate(versions)
    ]
    path.write_text(json.dumps({**json.loads(path.read_text()), "testers": beds}))
    return run


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certified")
    (folder / "loss.robot").write_text(SUITE)
    arguments = ["--suite", str(folder / "loss.robot"), "--testbed", "l2-bridge", "--testbed", "l3-router"]
    assert main(["certify", *arguments, "--output", str(folder / "run")]) == 1
    return tell_devices(folder / "run", "1.0: beta")


@pytest.fixture
def run(certified: Path, tmp_path: Path) -> Path:
    """A run that a test may change."""
    shutil.copytree(certified, tmp_path / "run", ignore=shutil.ignore_patterns("allure*", "robot"))
    return tmp_path / "run"


def exported(run: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, str]:
    """The file, and the command that was printed."""
    capsys.readouterr()
    assert main(["export", "dashboard", str(run), "--output", str(folder)]) == 0
    (path,) = folder.glob("*.xml")
    return path, capsys.readouterr().out.splitlines()[-1]


def test_the_dashboard_finds_outcomes_figures_and_device(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, command = exported(run, tmp_path / "dashboard", capsys)
    words = shlex.split(command)
    assert words[0] == "robotdashboard"
    program = [sys.executable, "-c", "from robotframework_dashboard.main import main; main()", *words[1:]]
    for _ in range(2):  # the second time, the run is there already
        done = subprocess.run(
            [*program, "-d", "kept.db", "-n", "page.html"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
    assert "you are trying to add the same output again" in done.stdout
    assert (tmp_path / "page.html").stat().st_size > 100_000
    with sqlite3.connect(tmp_path / "kept.db") as database:
        tests = {
            name: (passed, failed, skipped, message)
            for name, passed, failed, skipped, message in database.execute(
                "select full_name, passed, failed, skipped, message from tests"
            )
        }
        ((tags, version, metadata, counts),) = database.execute(
            "select tags, project_version, metadata, passed || failed || skipped from runs"
        )
    assert len(tests) == 10
    first = "Certification by loss.l2-bridge.Loss."
    assert tests[first + "Lossless Device"] == (
        *(1, 0, 0),
        "PASS: frame loss of north, 64 bytes is 0 % (0 of 148,809 frames); "
        "frame loss of north, 64 bytes is 0 % (0 of 297,619 frames)",
    )
    assert tests[first + "Lossy Device"][:3] == (0, 1, 0)
    assert tests[first + "Lossy Device"][3].startswith("FAIL: frame loss of north, 64 bytes is 79.84 %")
    assert tests[first + "Tester Too Slow"][:3] == (0, 0, 1)
    assert tests[first + "Nobody Judges"][:3] == (0, 0, 1), "a PASS in Robot's own file"
    assert tests[first + "Broken"] == (0, 1, 0, "ERROR: boom: <&>")
    assert counts == "244"
    assert version == "1.0-beta"
    assert tags.split(",") == ["lab/north-0", "quick", "version_1.0-beta"]
    assert "'Device: Acme router'" in metadata
    assert "'Verdict: FAIL'" in metadata
    assert "'Version: 1.0: beta'" in metadata


def test_the_same_run_makes_the_same_file(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, _ = exported(run, tmp_path / "first", capsys)
    again, command = exported(tell_devices(run, "1.0", "2.0"), tmp_path / "again", capsys)
    assert "version_" not in command, "two devices have two versions"
    assert first.name == again.name
    again, _ = exported(tell_devices(run, "1.0: beta"), tmp_path / "again", capsys)
    assert first.read_bytes() == again.read_bytes()
    assert main(["export", "dashboard", str(run), str(run), "--output", str(tmp_path)]) == 3
    assert "both began at" in capsys.readouterr().err


def test_what_metadata_of_the_dashboard_cannot_have_is_left_out(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, _ = exported(tell_devices(run, "1\\x\x1b\n2"), tmp_path / "dashboard", capsys)
    root = ElementTree.parse(path).getroot()
    found = {meta.get("name"): meta.text for meta in root.iter("meta")}
    assert found["Version"] == "1 x  2"


def test_a_run_that_is_not_over_is_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tests = run / "evidence" / "tests.jsonl"
    tests.write_text("".join(tests.read_text().splitlines(keepends=True)[:-2]))
    for kind in ("dashboard", "reportportal"):
        assert main(["export", kind, str(run)]) == 3
        assert "the run is not over, 2 tests of it have no record" in capsys.readouterr().err
    assert not (run / "reportportal.zip").exists()
    assert main(["export", "dashboard", str(tmp_path)]) == 3
    assert "holds no run.json" in capsys.readouterr().err


def test_an_output_that_is_cut_off_or_of_another_run_is_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = run / "output.xml"
    content = output.read_text()
    output.write_text(content[: len(content) // 2])
    arguments = ["export", "dashboard", str(run), "--output", str(tmp_path / "dashboard")]
    assert main(arguments) == 3
    assert "output.xml is no whole output of Robot" in capsys.readouterr().err
    output.write_text(content.replace('name="Loss"', 'name="Other"'))
    assert main(arguments) == 3
    assert "has no test of the records beside it" in capsys.readouterr().err
    assert not list(tmp_path.glob("dashboard/*"))


def test_reportportal_gets_each_reason_and_attribute(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["export", "reportportal", str(run)]) == 0
    assert (
        "reportportal.zip: FAIL (2 PASS, 2 FAIL, 2 INCONCLUSIVE, 2 ERROR, 2 NOT JUDGED)"
        in capsys.readouterr().out
    )
    content = (run / "reportportal.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["junit.xml"]
        root = ElementTree.fromstring(archive.read("junit.xml"))
    cases = list(root.iter("testcase"))
    assert len(cases) == 10
    for case in cases:
        assert case.get("timestamp"), "else the import takes the end of the one before"
        assert [p.get("value", "").partition(":")[0] for p in case.iter("property")] == ["outcome"]
    for kind in ("failure", "error", "skipped"):
        assert all((element.text or "").strip() for element in root.iter(kind)), "its message is not read"
    values = [p.get("value", "") for p in root.iter("property") if p.get("name") == "attribute"]
    assert all(value.count(":") == 1 and not value.endswith(":") for value in values)
    assert "version:1.0- beta" in values
    parents = {suite.find("properties") for suite in root.iter("testsuite")}
    assert all(parent is not None and parent.findtext("property[@name='description']") for parent in parents)
    assert {(element.text or "x").strip() != "" for element in root.iter("properties")} == {True}
    assert reportportal.archive(facts_of(run)) == content


def test_a_run_is_sent_with_its_key_from_the_environment(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RP_API_KEY", raising=False)
    with serving(StandIn()) as portal:
        send = ["export", "reportportal", str(run), "--send", portal.url, "--project", "lab"]
        assert main(send) == 3
        assert "--send needs RP_API_KEY in the environment" in capsys.readouterr().err
        assert main(send[:-2]) == 3
        assert "--send and --project go together" in capsys.readouterr().err
        assert portal.asked == []
        monkeypatch.setenv("RP_API_KEY", "s3cret")
        assert main(send) == 0
        said = capsys.readouterr()
    assert "is successfully imported" in said.out
    assert "s3cret" not in said.out + said.err
    ((_, _, body),) = portal.asked
    assert (run / "reportportal.zip").read_bytes() in body
    assert b'"verdict", "value": "FAIL"' in body


def test_a_launch_has_the_facts_of_its_testbeds(run: Path) -> None:
    facts = facts_of(tell_devices(run, "1.0", "2.0"))
    told = reportportal.launch(facts)
    assert str(told["startTime"]).endswith("Z")
    assert told["name"] == "Certification by loss"
    assert {"key": "version", "value": "1.0, 2.0"} in told["attributes"]
    assert {"key": "device", "value": "Acme router"} in told["attributes"]
    assert facts.attributes_of("lab/north-1")["version"] == "2.0"
    assert "tester" in facts.attributes_of("lab/north-1")


def test_the_run_that_is_kept_with_the_project_lacks_a_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "dashboard", str(GOLDEN)]) == 3
    assert "1 test of it has no record" in capsys.readouterr().err


def test_a_file_that_reportportal_does_not_take_is_refused(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reportportal, "LARGEST", 100)
    with pytest.raises(Exception, match="and ReportPortal takes 100; run the testbeds one by one"):
        reportportal.archive(facts_of(run))


@pytest.mark.parametrize("last", ['"what":"test"', '"what":"closed"', '"what":"clo'])
def test_a_run_of_robot_that_goes_on_is_refused(
    run: Path, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "evidence" / "agenda.json").unlink()  # as Robot alone leaves it
    (run / "evidence" / "live.jsonl").write_text(f'{{"what":"test"}}\n{{{last}}}\n'.replace("clo}", "clo"))
    over = "closed" in last
    for tool in ("reportportal", "dashboard"):
        assert main(["export", tool, str(run)]) == (0 if over else 3)
    said = capsys.readouterr().err
    assert ("the run is not over, for Robot has not closed the library" in said) is not over


def test_a_run_whose_records_were_edited_is_not_exported(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verdicts = run / "evidence" / "verdicts.jsonl"
    verdicts.write_text(verdicts.read_text().replace("FAIL", "PASS"))
    assert main(["export", "dashboard", str(run)]) == 3
    assert "values of such a run are not used" in capsys.readouterr().err
