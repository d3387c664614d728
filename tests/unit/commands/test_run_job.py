# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Job files, run on a simulated device; and what of them is refused before anything is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.campaign.job_campaign import job_campaign
from TesterLibrary.commands import main as cli
from TesterLibrary.files import paths
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.pages.rebuild import EVIDENCE
from TesterLibrary.reporting.record.records import read

JOB = """
version: 1
name: two-ways
testbed: simulated/breakpoint
duration: 1 s
ports: [{name: p1, speed: 1 Gbps}, {name: p2, speed: 1 Gbps}]
streams: [{name: north, tx: p1, rx: p2, frame_size: 512, rate: 20 %}]
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def job(text: str = "", name: str = "job.yaml") -> str:
    Path(name).write_text(JOB + text)
    return name


def test_a_job_file_is_sent_and_judged(capsys: pytest.CaptureFixture[str]) -> None:
    overloaded = job("loss: 1 %\n")
    Path(overloaded).write_text(Path(overloaded).read_text().replace("20 %", "100 %"))
    assert cli.main(["run", overloaded, "--output", "run", "--duration", "2 s"]) == 1
    said = capsys.readouterr().out
    assert said.startswith(
        "two-ways, profile quick: 1 suite × 1 testbed × 1 repetition, 1 test on simulated/"
    )
    records = read(Path("run", EVIDENCE))
    (test,) = records.tests
    assert test.outcome == "FAIL"
    assert "required <= 1 %" in test.message
    assert [trial.trial.duration_ns for trial in records.trials] == [2 * 10**9]


def test_the_shipped_step_sends_its_two_rates_and_ends() -> None:
    path = str(paths.resource("jobs", "step"))
    assert cli.main(["run", path, "--testbed", "simulated/breakpoint", "--output", "run"]) == 0
    (trial,) = read(Path("run", EVIDENCE)).trials
    assert trial.trial.sent == trial.trial.received == 2_000 + 500


def test_a_job_file_without_a_bound_says_what_would_judge_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", job(), "--output", "run"]) == 4
    assert "or from loss: of a job file" in capsys.readouterr().out


def test_it_says_what_would_be_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", job(), "--check"]) == 0
    said = capsys.readouterr().out
    assert said == "1 suite × 1 testbed × 1 repetition, 1 test on simulated/breakpoint\n"
    assert sorted(path.name for path in Path().iterdir()) == ["job.yaml"]


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        (JOB.replace("testbed:", "title:"), [], "job.yaml:4: title: there is no such key"),
        (
            JOB.replace("testbed: simulated/breakpoint\n", ""),
            [],
            "testbed: is missing; name the testbed here, or by",
        ),
        (JOB.replace("1 s", "0 s"), [], "job.yaml:5: duration: '0 s' is not allowed; give a time above 0"),
        (JOB + "loss: much\n", [], "job.yaml:8: loss: 'much'"),
        (
            JOB.replace("rx: p2", "rx: p9"),
            [],
            "stream 'north': rx='p9' is no port of this tester; it has p1, p2",
        ),
        (
            JOB.replace("p1", "north"),
            ["--check"],
            "job.yaml:7: streams[0].tx: 'north' is no port of the testbed 'breakpoint'; it has p1, p2",
        ),
        (JOB, ["--testbed", "nowhere"], "tester: there is no testbed 'nowhere'"),
        (
            JOB.replace("simulated/breakpoint", "nowhere"),
            [],
            "job.yaml:4: testbed: there is no testbed 'nowhere'",
        ),
        (
            "version: 1\n",
            ["--testbed", "two-nics"],
            "--testbed is for a job file of streams; a campaign has its own",
        ),
        ("version: 1\n", ["--duration", "1 s"], "--duration is for a job file of streams"),
    ],
)
def test_what_cannot_be_run_is_refused(
    text: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("job.yaml").write_text(text)
    assert cli.main(["run", "job.yaml", "--output", "run", *arguments]) == 3
    assert said in capsys.readouterr().err
    assert not Path("run").exists()


def test_responders_and_clients_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    web = Path(__file__).parents[3] / "resources" / "jobs" / "web.yaml"
    assert cli.main(["run", str(web), "--testbed", "embedded/l2-bridge"]) == 3
    assert (
        "tester run sends streams; backends is started by a suite only, so leave it out"
        in capsys.readouterr().err
    )


def test_a_testbed_beside_the_file_is_found() -> None:
    Path("lab.yaml").write_text("x")
    campaign = job_campaign(Path(job()), None, None)
    assert campaign.testbeds == ("simulated/breakpoint",)
    Path("job.yaml").write_text(JOB.replace("simulated/breakpoint", "lab.yaml"))
    campaign = job_campaign(Path("job.yaml"), None, Duration(10**9))
    assert campaign.testbeds == (str(Path("lab.yaml").absolute()),)
    assert campaign.variables["DURATION"] == "1 s"
