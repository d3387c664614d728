# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import robot

from TesterLibrary.running.scope import ScopeListener, Scopes

from .testers import stream


def item(robot_id: str) -> SimpleNamespace:
    return SimpleNamespace(id=robot_id)


def test_what_is_made_in_a_test_ends_with_it_and_what_a_suite_made_stays() -> None:
    scopes, told = Scopes(), list[str]()
    listener = ScopeListener(scopes, told.append)
    listener.start_suite(item("s1"), None)
    listener.start_suite(item("s1-s1"), None)
    scopes.streams["suite"] = stream("suite", size=64)
    listener.start_test(item("s1-s1-t1"), None)
    scopes.streams["test"] = stream("test")
    scopes.streams["suite"] = stream("suite", size=512)
    assert list(scopes.streams) == ["suite", "test"]
    assert scopes.streams["suite"].frame_size.mean == 512
    listener.end_test(item("s1-s1-t1"), None)
    assert list(scopes.streams) == ["suite"]
    assert scopes.streams["suite"].frame_size.mean == 64
    listener.start_test(item("s1-s1-t2"), None)
    assert list(scopes.streams) == ["suite"]
    listener.end_test(item("s1-s1-t2"), None)
    listener.end_suite(item("s1-s1"), None)
    assert not scopes.streams
    assert not told


def test_scopes_end_the_latest_first_and_all_of_them_whatever_happens() -> None:
    scopes, ended = Scopes(), list[str]()

    def ends(name: str, text: str = "") -> None:
        def close() -> str:
            ended.append(name)
            if name == "broken":
                raise ValueError("no")
            return text

        scopes.at_end(close)

    scopes.enter(["s1"])
    ends("suite", "the suite's was left")
    scopes.enter(["s1", "s1-t1"])
    ends("first", "this was left")
    ends("broken")
    ends("last")
    told = scopes.enter(["s2"])
    assert ended == ["last", "broken", "first", "suite"]
    assert told == [
        "something could not be ended: no (the end of the test)",
        "this was left (the end of the test)",
        "the suite's was left (the end of the suite)",
    ]
    assert scopes.enter([]) == []


def test_events_that_a_library_is_not_told_of_are_made_up_for() -> None:
    """A suite that does not import the library has its own listeners: Robot does not tell ours of it."""
    scopes = Scopes()
    listener = ScopeListener(scopes, print)
    listener.start_test(item("s1-s1-t1"), None)
    scopes.streams["a"] = stream("a")
    listener.start_test(item("s1-s2-t1"), None)
    assert not scopes.streams
    assert scopes.current.kind == "test"
    listener.end_test(item("s1-s2-t1"), None)
    assert scopes.current.kind == "suite"


_MEASURED_BEFORE = """
*** Settings ***
Library           TesterLibrary    testbed=simulated/queue
Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Stream    north    tx=p1    rx=p2    frame_size=512    rate=1 kpps

*** Test Cases ***
Nothing Older Is Judged
    ${before} =    Measure Loss    north    duration=10 ms
    Run Keyword And Ignore Error    Measure Loss    south
    Run Keyword And Expect Error    *since Measure Loss failed*    Verify Loss Below    0
    Run Keyword And Expect Error    *since Measure Loss failed*    Get Loss Ratio    ==    0
    Verify Loss Below    0    ${before}
    Measure Loss    north    duration=10 ms
    Verify Loss Below    0

Also Where An Argument Is Refused
    Measure Loss    north    duration=10 ms
    Run Keyword And Ignore Error    Measure Loss    north    rate=5 furlongs
    Run Keyword And Expect Error    *since Measure Loss failed*    Verify Loss Below    0

A Branch That Is Not Taken Fails Nothing
    IF    True
        Measure Loss    north    duration=10 ms
    ELSE
        Measure Loss    south
    END
    Verify Loss Below    0

What Measures Nothing May Fail
    Measure Loss    north    duration=10 ms
    Run Keyword And Ignore Error    Create Stream    south
    Verify Loss Below    0
"""


def test_what_was_measured_before_a_failed_measurement_is_not_judged(tmp_path: Path) -> None:
    suite = tmp_path / "before.robot"
    suite.write_text(_MEASURED_BEFORE, encoding="utf-8")
    status = robot.run(suite, log=None, report=None, outputdir=tmp_path, console="none")  # type: ignore[no-untyped-call]
    assert status == 0
