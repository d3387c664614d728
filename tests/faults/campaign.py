# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns in processes of their own, which die with their workers and testers as a test wants it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from TesterLibrary.targets.engine.process import EngineProcess
from tests.contract.leased_client import TESTBED
from tests.unit.commands.fleets import night, outcomes, ran
from tests.unit.service.served import until

ROOT = Path(__file__).parents[2]
_MARK = "TESTER_TEST_FOLDER"  # in the environment of all processes of a test
_SUITE = """
*** Settings ***
Library           TesterLibrary    testbed=${TESTBED}
Library           OperatingSystem
Suite Setup       Open Tester
Suite Teardown    Close Tester
*** Test Cases ***
First
    Create Stream    north    tx=p1    rx=p2    frame_size=64    rate=1 kpps
    Measure Loss    duration=0.2 s
    Verify Loss Below    0
Second
    [Documentation]    Sends for so long that it is cut off, unless there is a file.
    Create Stream    north    tx=p1    rx=p2    frame_size=64    rate=1 kpps
    Append To File    FOLDER/ran    ${SUITE NAME} on ${TESTBED}\\n
    ${goes} =    Evaluate    __import__('os').path.exists('FOLDER/GO')
    Measure Loss    duration=${{'0.2 s' if $goes else '200 s'}}
    Verify Loss Below    0
"""
# Two devices, each with two testers that are connected to it.
_FLEET = """
version: 1
suites: [a.robot, b.robot, c.robot]
profile: mine.yaml
output: night
testers:
  t1: {testbeds: [t1.yaml]}
  t2: {testbeds: [t2.yaml]}
  t3: {testbeds: [t3.yaml]}
  t4: {testbeds: [t4.yaml]}
"""
_DEVICES = {"t1": "east", "t2": "east", "t3": "west", "t4": "west"}


@contextmanager
def in_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Runs a test in its folder. At its end none of its processes is left."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", ""))))
    monkeypatch.setenv(_MARK, str(folder))
    yield
    until(lambda: not left(folder), 90)


def left(folder: Path) -> list[int]:
    """The processes of a test, Ray's own included, whoever their parent is."""
    return _processes(f"{_MARK}={folder}", "environ")


def _processes(text: str, where: str = "cmdline") -> list[int]:
    """The processes with a text in their command line, or in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and text in (folder / where).read_text().replace("\0", " "):
                found.append(int(folder.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def start(command: str, file: str, *more: str) -> subprocess.Popen[str]:
    """`tester run` or `tester campaign`; what it prints is added to a file."""
    words = [sys.executable, "-m", "TesterLibrary.commands.main", command, file, *more]
    with Path("said").open("a") as log:
        return subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, text=True)


def said() -> str:
    """The output of all that were started."""
    return Path("said").read_text()


def robot_of(suite: str, on: str = "") -> int:
    """The process of Robot that runs a suite, on a testbed's file; 0 if there is none."""
    found = set(_processes("robot_process")) & set(_processes(f"/{suite}.robot")) & set(_processes(on))
    return found.pop() if found else 0


def parent(pid: int) -> int:
    """The process that has started another one."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:")))


def has_begun(*tests: str) -> bool:
    """Whether tests were begun, each a suite on the file of a testbed."""
    folder = Path.cwd()
    return (folder / "ran").exists() and set(tests) <= set(ran(folder))


class Engines:
    """Four testers at two devices, and a campaign on them of which two tests wait until they are cut off."""

    def __init__(self, folder: Path, engines: Sequence[EngineProcess]) -> None:
        self.engines = dict(zip(_DEVICES, engines, strict=True))
        self.file = str(folder / "fleet.yaml")
        for name, engine in self.engines.items():
            bed = TESTBED.format(address=engine.address).replace("name: lab", f"name: {_DEVICES[name]}")
            (folder / f"{name}.yaml").write_text(bed.replace("cable", f"cable {_DEVICES[name]}"))
        for suite in "abc":
            text = _SUITE.replace("FOLDER", str(folder)).replace("GO", f"go-{suite}")
            (folder / f"{suite}.robot").write_text(text)
        (folder / "mine.yaml").write_text("PROFILE: {version: 1, name: mine}\n")
        (folder / "fleet.yaml").write_text(_FLEET)


@contextmanager
def engines(folder: Path) -> Iterator[Engines]:
    """Engines that run on their own, each with two ports that are connected."""
    with ExitStack() as stack:
        found = []
        for _ in _DEVICES:
            found.append(EngineProcess.launch(ports={"p1": "loop:x", "p2": "loop:x"}))
            stack.callback(found[-1].stop)
        yield Engines(folder, found)


def survives(fleet: Engines, command: str) -> None:
    """A tester, a worker and the head die with traffic on; each test has one right verdict nevertheless.

    The worker is whoever runs Robot for the head: over Ray a process of it, otherwise Robot itself.
    """
    Path("go-b").touch()
    head = start(command, fleet.file)
    until(lambda: has_begun("east.A on t1", "west.A on t3"), 90)
    Path("go-a").touch()
    os.kill(fleet.engines["t1"].pid, signal.SIGKILL)
    robot = robot_of("a", on="t3.yaml")
    os.kill(parent(robot) if command == "campaign" else robot, signal.SIGKILL)
    until(lambda: has_begun("east.A on t2", "west.A on t4"), 90)
    until(lambda: {"east.C", "west.C"} <= {test.rpartition(" on ")[0] for test in ran(Path.cwd())}, 120)
    head.kill()
    head.wait()
    Path("go-c").touch()
    resumed = start(command, fleet.file, "--resume")
    assert resumed.wait(180) == 0, said()

    names = [f"{bed}.{suite}" for bed in ("east", "west") for suite in "ABC"]
    assert outcomes() == [f"{name}/{test} PASS" for name in names for test in ("First", "Second")]
    assert [verdict.number for verdict in night().verdicts] == list(range(1, 13))
    verdicts = Counter(
        (record["suite"], record["test"])
        for path in Path("night", "cells").glob("*/*/evidence/tests.jsonl")
        for record in map(json.loads, path.read_text().splitlines())
        if record["outcome"] == "PASS"
    )
    assert set(verdicts.values()) == {1}, "a verdict was measured again"
    told = said()
    assert "is leased to" not in told, "what was killed has left its traffic"
    assert "t1 has not finished it: " in told
    reason = "its worker died" if command == "campaign" else "Robot was killed by SIGKILL"
    assert f"west.A: t3 has not finished it: {reason}" in told
    events = [event for event in night().events if event.event == "run_again"]
    assert {event.facts["tester"] for event in events} >= {"t1", "t3"}
