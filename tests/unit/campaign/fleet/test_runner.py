# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns on several testers, driven from this machine: what breaks is run elsewhere, verdicts are not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from TesterLibrary.campaign.campaign_file import load_campaign
from TesterLibrary.campaign.certification_arguments import certification
from TesterLibrary.campaign.fleet.fleet import fleet_of
from TesterLibrary.campaign.fleet.runner import FleetRunner
from TesterLibrary.campaign.fleet.task import Task, unlike
from TesterLibrary.campaign.fleet.workers import LocalWorkers
from TesterLibrary.commands import main as cli

from ...commands.fleets import campaign, night, outcomes, ran

SOUND = "  t1: {testbeds: [bed.yaml]}\n  t2: {testbeds: [bed.yaml]}\n"
HALF = "  t1: {testbeds: [broken.yaml]}\n  t2: {testbeds: [bed.yaml]}\n"
_ROOT = str(Path(__file__).parents[4])
ALL = [f"bed.{suite}/{test} PASS" for suite in ("A", "B") for test in ("First", "Second")]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_same_results_in_the_same_order_as_on_one_tester(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", campaign(tmp_path, SOUND)]) == 0
    said = capsys.readouterr().out
    assert "profile mine: 2 suites × 1 testbed × 1 repetition by 2 testers, 4 tests on " in said
    assert "bed.B: PASS on t" in said
    assert "PASS (4 PASS, " in said
    fleet, verdicts = outcomes(), [(v.number, v.place.suite) for v in night().verdicts]
    assert fleet == ALL
    log = Path("night", "output.xml").read_text()
    (tmp_path / "fleet.yaml").write_text((tmp_path / "fleet.yaml").read_text().partition("testers:")[0])
    with (tmp_path / "fleet.yaml").open("a") as file:
        file.write("testbeds: [bed.yaml]\n")
    assert cli.main(["run", str(tmp_path / "fleet.yaml"), "--output", "one"]) == 0
    Path("night").rename("fleet")
    Path("one").rename("night")
    assert outcomes() == fleet
    assert [(v.number, v.place.suite) for v in night().verdicts] == verdicts
    names = [[e.get("name") for e in ElementTree.fromstring(text).iter("test")] for text in (log, _log())]
    assert names[0] == names[1]
    assert len(list(Path("fleet", "allure-results").glob("*-result.json"))) == 4


def _log() -> str:
    return Path("night", "output.xml").read_text()


def test_the_shipped_example_runs_as_it_is() -> None:
    assert cli.main(["run", f"{_ROOT}/resources/campaigns/fleet.yaml", "--output", "night"]) == 0
    assert outcomes() == [f"{bed}.Streams/Streams Of The Job PASS" for bed in ("breakpoint", "queue")]


def test_what_a_broken_tester_has_not_done_is_done_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", campaign(tmp_path, HALF, suites=("a",))]) == 0
    said = capsys.readouterr().out
    assert "bed.A: t1 has not finished it: no tester answers at unix:/run/north (0 of 1 over" in said
    assert outcomes() == ALL[:2]
    assert ran(tmp_path) == ["bed.A on bed", "bed.A on broken"]
    (again,) = [event for event in night().events if event.event == "run_again"]
    assert again.facts["tester"] == "t1"
    assert [verdict.number for verdict in night().verdicts] == [1, 2]  # the first test was run once
    assert "unix:/run/north" in Path("night", "certificate.html").read_text()
    assert cli.main(["campaign", "night", "--status"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("bed.A  over, PASS on t2  t1 had not finished it: no tester answers")
    assert said.endswith("1 over, 0 running, 0 waiting\n")


@pytest.mark.parametrize(("outcome", "status"), [("FAIL", 1), ("INCONCLUSIVE", 2)])
def test_a_verdict_is_never_measured_again(tmp_path: Path, outcome: str, status: int) -> None:
    file = campaign(tmp_path, SOUND, f"variables: {{OUTCOME: {outcome}}}", suites=("a",))
    assert cli.main(["run", file]) == status
    assert outcomes() == [ALL[0], f"bed.A/Second {outcome}"]
    assert ran(tmp_path) == ["bed.A on bed"]


@pytest.mark.long
def test_what_no_tester_can_finish_is_inconclusive_after_three_attempts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = "  t1: {testbeds: [broken.yaml]}\n  t2: {testbeds: [broken.yaml]}\n"
    assert cli.main(["run", campaign(tmp_path, broken, suites=("a",))]) == 2
    assert "bed.A: given up: it was tried 3 times; t1: no tester answers" in capsys.readouterr().out
    assert outcomes() == [ALL[0], "bed.A/Second INCONCLUSIVE"]
    assert len(ran(tmp_path)) == 3
    (tmp_path / "fleet.yaml").write_text((tmp_path / "fleet.yaml").read_text().replace("broken", "bed"))
    (tmp_path / "broken.yaml").unlink()
    (tmp_path / "night" / "evidence" / "run.json").write_text(
        (tmp_path / "night" / "evidence" / "run.json").read_text().replace("broken.yaml", "bed.yaml")
    )
    assert cli.main(["run", str(tmp_path / "fleet.yaml"), "--resume"]) == 0
    assert outcomes() == ALL[:2]


def test_a_device_is_tested_by_one_tester_at_a_time(tmp_path: Path) -> None:
    devices = "devices: {fw: {testbeds: [bed.yaml]}}\n"
    assert cli.main(["run", campaign(tmp_path, SOUND, devices)]) == 0
    times = [
        (attempt["started_at"], attempt["ended_at"])
        for attempt in map(_attempt, sorted(Path("night", "cells").glob("*/1/attempt.json")))
    ]
    assert len(times) == 2
    assert max(begin for begin, _ in times) >= min(end for _, end in times)


def _attempt(path: Path) -> dict[str, str]:
    import json

    return dict(json.loads(path.read_text()))


def test_a_file_that_tests_write_need_not_be_alike_on_all_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[bool, str]] = []
    begin = LocalWorkers.start

    def start(self: LocalWorkers, tasks: Sequence[Task]) -> None:
        compared.extend((str(tmp_path / "ran") in task.files, unlike(task)) for task in tasks)
        begin(self, tasks)

    monkeypatch.setattr(LocalWorkers, "start", start)
    file = campaign(tmp_path, "  t1: {testbeds: [bed.yaml]}\n")
    Path("ran").write_text("")
    assert cli.main(["run", file]) == 0
    assert compared == [(True, ""), (False, "")]  # the first cell has written it meanwhile


def test_no_cell_begins_when_the_time_is_over(tmp_path: Path) -> None:
    assert cli.main(["run", campaign(tmp_path, SOUND, "time_budget: 1 us")]) == 2
    assert [event.facts["reason"] for event in night().left_out] == ["the time budget is spent"] * 4
    (tmp_path / "fleet.yaml").write_text(
        (tmp_path / "fleet.yaml").read_text().replace("time_budget: 1 us", "time_budget: 1 h")
    )
    assert cli.main(["run", str(tmp_path / "fleet.yaml"), "--resume"]) == 0
    assert outcomes() == ALL
    assert night().left_out == ()


@pytest.mark.parametrize("waits", ["Sleep    1 h", "Ignore Signals"])
def test_a_test_that_hangs_is_ended_by_the_time_budget(
    waits: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("TesterLibrary.campaign.time_budget._LEAST_OVERRUN_S", 1.0)
    monkeypatch.setattr("TesterLibrary.campaign.fleet.runner._PATIENCE_S", 2.0)
    file = campaign(tmp_path, SOUND, "time_budget: 20 s", suites=("a",))
    (tmp_path / "Deaf.py").write_text(
        "import signal, time\n"
        "def ignore_signals():\n"
        "    for number in (signal.SIGINT, signal.SIGTERM):\n"
        "        signal.signal(number, signal.SIG_IGN)\n"
        "    time.sleep(3600)\n"
    )
    suite = (
        (tmp_path / "a.robot")
        .read_text()
        .replace("Library    Op", f"Library    {tmp_path}/Deaf.py\nLibrary    Op")
    )
    (tmp_path / "a.robot").write_text(f"{suite}Third\n    {waits}\n")
    begun = time.monotonic()
    assert cli.main(["run", file]) == 2
    assert time.monotonic() - begun < 120
    assert outcomes()[:2] == ALL[:2]
    (left,) = night().left_out
    assert (left.place.test, left.facts["reason"]) == ("Third", "the time budget is spent")


def test_what_is_measured_again_are_the_chosen_tests_alone(tmp_path: Path) -> None:
    """One runner runs a campaign, and then those of its tests whose values stand out."""
    loaded = load_campaign(Path(campaign(tmp_path, SOUND)))
    fleet = fleet_of(loaded)
    runner = FleetRunner(fleet, LocalWorkers)

    def tests(output: str, *chosen: str) -> list[str]:
        run = certification(
            profile=loaded.profile,
            testbeds=fleet.testbeds,
            criteria=None,
            suites=list(map(str, loaded.suites)),
            output=Path(output),
            tests=chosen,
        )
        return [f"{item.suite}.{item.test}" for job in runner.jobs(run) for item in job.plan.items]

    assert len(tests("night")) == 4
    assert tests("night-again", "bed.B.Second") == ["bed.B.Second"]


@pytest.mark.long
def test_a_killed_campaign_goes_on_and_repeats_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = campaign(tmp_path, "  t1: {testbeds: [bed.yaml]}\n", suites=("a", "b", "c"))
    head = _start(file)
    _until(lambda: (tmp_path / "ran").exists() and len(ran(tmp_path)) >= 2)
    head.kill()
    head.wait()
    assert cli.main(["campaign", "night", "--status"]) == 0
    cells, counts_text = capsys.readouterr().out.removesuffix("\n").rsplit("\n", 1)
    assert "running on" not in cells  # what was cut off is not as if it went on
    assert "0 running" in counts_text
    assert counts_text.endswith("no process goes on with it now: start it again with --resume")
    assert cli.main(["report", "night"]) in (0, 3)  # of what is there; 3: Robot had not finished a file
    assert outcomes()[:2] == ALL[:2]
    assert len(outcomes()) < 6
    assert cli.main(["run", file, "--resume"]) == 0
    assert outcomes() == [*ALL, "bed.C/First PASS", "bed.C/Second PASS"]
    counts = ran(tmp_path)
    assert counts.count("bed.A on bed") == 1
    assert cli.main(["certify", "--resume", "night"]) == 3  # that would run it on one tester


def test_ctrl_c_ends_it_cleanly_and_nothing_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = campaign(tmp_path, SOUND)
    for name in ("a", "b"):
        with (tmp_path / f"{name}.robot").open("a") as suite:
            suite.write("Third\n    Sleep    60 s\n")
    head = _start(file)
    _until(lambda: (tmp_path / "ran").exists() and len(ran(tmp_path)) == 2)
    assert cli.main(["run", file, "--resume"]) == 3
    assert "the run in night goes on in another process" in capsys.readouterr().err
    assert cli.main(["campaign", "night", "--status"]) == 0
    assert capsys.readouterr().out.endswith("0 over, 2 running, 0 waiting\n")
    head.send_signal(signal.SIGINT)
    assert head.wait(40) == 3
    assert head.stdout
    assert f"Go on: tester run {file} --resume" in head.stdout.read()
    assert [name for name in outcomes() if "Third" not in name] == ALL
    assert not [folder for folder in Path("/proc").iterdir() if _is_of(folder, str(tmp_path))]


def _is_of(process: Path, folder: str) -> bool:
    try:
        return process.name.isdecimal() and folder in (process / "cmdline").read_text()
    except OSError:
        return False


def _start(file: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "TesterLibrary.commands.main", "run", file]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": _ROOT}
    )


def _until(holds: object, patience_s: float = 60.0) -> None:
    assert callable(holds)
    until = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("testers", "more", "message"),
    [
        (
            SOUND + "  t3: {testbeds: [nowhere.yaml]}\n",
            "",
            "testers.t3.testbeds[0]: there is no testbed 'nowhere.yaml'",
        ),
        (
            "  t1: {}\n",
            "",
            "testers.t1.testbeds: is missing; give the testbeds of this tester, or testbeds of",
        ),
        (SOUND, "testbeds: [other.yaml]", "no tester has the testbed "),
        (
            SOUND,
            "devices: {fw: {testbeds: [bed.yaml], excludes: [lb]}, lb: {testbeds: [bed.yaml]}}",
            "devices.fw.excludes[0]: fw excludes lb, and both are in the testbed 'bed', so that no test",
        ),
        (
            SOUND,
            "devices: {fw: {testbeds: [bed.yaml], excludes: [lbb]}, lb: {testbeds: [bed.yaml]}}",
            "devices.fw.excludes[0]: there is no other device 'lbb' (did you mean 'lb'?); there are lb",
        ),
        (
            SOUND,
            "devices: {fw: {testbeds: [bad]}}",
            "devices.fw.testbeds[0]: no tester has the testbed 'bad'",
        ),
        (
            SOUND,
            "needs: {a.robot: {speed: 100G}}",
            "no tester of the testbed 'bed' has speed=100G, which a.robot needs (t1: no tags; t2: no tags)",
        ),
        (SOUND, "needs: {c.robot: {speed: 100G}}", "needs.c.robot: there is no suite 'c.robot'"),
        ("  a b: {}\n", "", "testers.a b: there is no such key; give the testers of a fleet"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is(
    tmp_path: Path, testers: str, more: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", campaign(tmp_path, testers, more)]) == 3
    assert message in capsys.readouterr().err
    assert not Path("night").exists()


def test_two_cells_of_one_name_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    campaign(tmp_path, SOUND)
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.robot").rename(tmp_path / "deep" / "b.robot")
    file = tmp_path / "fleet.yaml"
    file.write_text(file.read_text().replace("a.robot", "deep/b.robot"))
    assert cli.main(["run", str(file)]) == 3
    assert "are both named 'bed.B' in the reports, which could not tell them apart; rename one" in (
        capsys.readouterr().err
    )
    assert not Path("night").exists()


def test_one_name_for_two_devices_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = campaign(tmp_path, HALF)
    (tmp_path / "broken.yaml").write_text((tmp_path / "bed.yaml").read_text().replace("Device", "Gadget"))
    assert cli.main(["run", file]) == 3
    said = capsys.readouterr().err
    assert "fleet.yaml:9: testers.t2.testbeds[0]: " in said
    assert "bed.yaml describes another device (dut:) than " in said
    assert "and both have name: bed, so a certificate would take them for one; give one of the files" in said


def test_a_campaign_without_testers_is_for_tester_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Path(campaign(tmp_path, SOUND))
    file.write_text(file.read_text().partition("testers:")[0] + "testbeds: [bed.yaml]\n")
    assert cli.main(["campaign", str(file)]) == 3
    assert "names no testers, so there is nothing to be shared out" in capsys.readouterr().err
    file.write_text(file.read_text() + "needs: {a.robot: {speed: 1G}}\n")
    assert cli.main(["run", str(file)]) == 3
    assert "needs: is for a fleet; name its testers, too, or leave this out" in capsys.readouterr().err


def test_the_live_page_is_of_one_tester(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", campaign(tmp_path, SOUND), "--live"]) == 3
    assert "look at it by tester campaign FOLDER --status" in capsys.readouterr().err
    assert cli.main(["campaign", str(tmp_path), "--status"]) == 3
    assert "has no run of a campaign on several testers (from " in capsys.readouterr().err
    assert cli.main(["campaign", "nowhere", "--status"]) == 3
    assert "nowhere is no folder (from " in capsys.readouterr().err


def test_a_check_says_what_service_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the run itself does."""
    lease = "lease: {service: 'http://127.0.0.1:1', place: north}"
    file = campaign(tmp_path, f"  t1: {{testbeds: [bed.yaml], {lease}}}\n")
    assert cli.main(["run", file, "--check"]) == 3
    assert "127.0.0.1:1" in capsys.readouterr().err


def test_a_suite_needs_a_tester_with_tags(tmp_path: Path) -> None:
    fast = "  t1: {testbeds: [bed.yaml]}\n  t2: {testbeds: [bed.yaml], tags: {speed: 100G}}\n"
    assert cli.main(["run", campaign(tmp_path, fast, "needs: {a.robot: {speed: 100G}}")]) == 0
    assert _attempt(Path("night/cells/0001-bed.A/1/attempt.json"))["tester"] == "t2"
    assert _attempt(Path("night/cells/0002-bed.B/1/attempt.json"))["tester"] == "t1"
