# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Hooks that ask the device: what is kept of their answers, and that none of them ends anything."""

from __future__ import annotations

import os
import time
from io import StringIO
from pathlib import Path

import pytest

from TesterLibrary.errors import TestbedError
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.record.device_answers import EVENT, MOST_CHARACTERS, Answers, answers_of
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.reporting.record.records import read
from TesterLibrary.running.device_words import ask_device
from TesterLibrary.running.opening import open_tester
from TesterLibrary.testbeds import load_testbed
from TesterLibrary.testbeds.testbed import AskHook, DutSpec

FILE = """
version: 1
name: asked
ports:
  - {name: p1, speed: 10 Mbps}
  - {name: p2, speed: 10 Mbps}
dut:
  name: Device
  kind: simulated
  ask:
    version: {command: echo 1.2}
    uses: {command: [sh, -c, 'echo again >> COUNT; cat COUNT'], timeout: 30 s}
"""


def answer(folder: Path, *command: str, ssh: str = "", timeout: Duration = AskHook.timeout) -> Answers:
    """The answer of one hook before trials."""
    dut = DutSpec("Device", ask={"hook": AskHook(command, ssh, timeout)})
    ask_device(dut, Recorder(folder), "before")
    (found,) = answers_of(read(folder).events, "")
    return found


def test_the_device_is_asked_when_its_tester_opens_and_closes(tmp_path: Path) -> None:
    path = tmp_path / "asked.yaml"
    path.write_text(FILE.replace("COUNT", str(tmp_path / "count")))
    recorder = Recorder(tmp_path / "evidence")
    for _ in range(2):
        open_tester(str(path), seed=1, recorder=recorder, progress=Console(stream=StringIO())).close()
    version, uses = answers_of(read(tmp_path / "evidence").events, "asked")
    assert (version.hook, version.asked, version.is_unchanged) == ("version", "echo 1.2", True)
    assert version.before is not None
    assert (version.before.said, version.before.failed) == ("1.2", "")
    assert uses.before is not None
    assert uses.after is not None
    assert not uses.is_unchanged
    assert (uses.before.said, uses.after.said) == ("again", "again\nagain\nagain\nagain")


@pytest.mark.parametrize(
    ("command", "said", "failed"),
    [
        (("sh", "-c", "echo half; exit 3"), "half", "ended with status 3"),
        (("sh", "-c", "echo wrong >&2"), "wrong", ""),
        (("true",), "", ""),
        (("/nowhere/show",), "", "cannot be run: No such file or directory"),
        (("printf", r"a\r\n\033[1mb\tc\377"), "a\n [1mb\tc\N{REPLACEMENT CHARACTER}", ""),
    ],
)
def test_what_a_hook_says_is_kept_as_text(
    tmp_path: Path, command: tuple[str, ...], said: str, failed: str
) -> None:
    found = answer(tmp_path, *command).before
    assert found is not None
    assert (found.said, found.failed) == (said, failed)


def test_of_a_long_answer_the_begin_is_kept(tmp_path: Path) -> None:
    found = answer(tmp_path, "sh", "-c", "yes | head -c 5000000; echo end").before
    assert found is not None
    assert found.said == ("y\n" * MOST_CHARACTERS)[:MOST_CHARACTERS] + "\n… and more"
    assert found.failed == ""
    assert (tmp_path / "events.jsonl").stat().st_size < 3 * MOST_CHARACTERS


@pytest.mark.parametrize(
    "script", ["echo so far; sleep 5; touch {mark}", "echo so far; exec >&- 2>&-; sleep 5; touch {mark}"]
)
def test_a_hook_that_hangs_is_ended(tmp_path: Path, script: str) -> None:
    mark = tmp_path / "late"
    began = time.monotonic()
    found = answer(tmp_path, "sh", "-c", script.format(mark=mark), timeout=Duration(2 * 10**9)).before
    assert found is not None
    assert (found.said, found.failed) == ("so far", "did not end within 2 s")
    time.sleep(max(0.0, 5.5 - (time.monotonic() - began)))
    assert not mark.exists()


def test_an_answer_without_end_is_ended(tmp_path: Path) -> None:
    found = answer(tmp_path, "yes", timeout=Duration(2 * 10**9)).before
    assert found is not None
    assert found.said.startswith("y\ny\n")
    assert found.failed == "did not end within 2 s"


def test_the_device_is_asked_over_ssh_without_a_question(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\necho "$@"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = answer(tmp_path / "evidence", "show", "version", ssh="admin@192.0.2.1")
    assert found.asked == "show version on admin@192.0.2.1"
    assert found.before is not None
    assert found.before.said == "-o BatchMode=yes -o ConnectTimeout=10 admin@192.0.2.1 -- show version"


def test_answers_are_those_of_their_testbed(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    recorder.event("other")
    ask_device(DutSpec("Device", ask={"hook": AskHook(("true",))}), recorder, "after")
    (found,) = answers_of(read(tmp_path).events, "")
    assert found.before is None
    assert answers_of(read(tmp_path).events, "another") == ()
    assert [event.event for event in read(tmp_path).events] == ["other", EVENT]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("{command: echo 1.2}", "{}", "dut.ask.version.command: is missing; give a command"),
        ("{command: echo 1.2}", "{command: ''}", "dut.ask.version.command"),
        ("{command: echo 1.2}", "{command: ' '}", "dut.ask.version.command: is empty; give the command"),
        ("{command: echo 1.2}", "{keyword: Ask}", "dut.ask.version.keyword: there is no such key"),
        ("timeout: 30 s", "timeout: 0 s", "dut.ask.uses.timeout: give a time above 0"),
        ("{command: echo 1.2}", "{command: echo, ssh: -oProxyCommand=x}", "dut.ask.version.ssh"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path: Path, old: str, new: str, problem: str) -> None:
    path = tmp_path / "asked.yaml"
    path.write_text(FILE.replace(old, new))
    with pytest.raises(TestbedError) as caught:
        load_testbed(str(path))
    assert problem in str(caught.value)
