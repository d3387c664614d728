# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths between two TCP stacks of the kernel: what was dropped is what the stacks say they sent again."""

from __future__ import annotations

from pathlib import Path

from TesterLibrary.files import paths

from .robots import check_passed, lines, robot, run


def test_stacks_send_again_what_was_lost(tmp_path: Path) -> None:
    tests = robot(paths.suite_root() / "inline", tmp_path)
    assert len(tests) == 7
    check_passed(tests)


def test_keywords_for_paths(tmp_path: Path) -> None:
    tests = run("path.robot", tmp_path)
    assert len(tests) == 11
    unfired = {
        "Unfired": "number of fired events of path wan: event 'far too late' did not fire: it saw ",
        "Unfired, And A Counter": "TcpRetransSegs of server: event 'nobody' did not fire: it saw 0 packets",
        "Unfired, And Any Verdict": "time to the last byte: event 'nobody' did not fire: it saw 0 packets",
    }
    for name, text in unfired.items():
        assert tests[name].skipped
        assert f"INCONCLUSIVE: {text}" in tests[name].message
    rest = {name: test.message for name, test in tests.items() if name not in unfired and not test.passed}
    assert rest == {}
    stopped = [e for e in lines(tmp_path / "evidence" / "events.jsonl") if e["event"] == "path_stopped"]
    assert [event["name"] for event in stopped[0]["events"]] == [
        "1: duplicate data packet 5 of flow 1 backward"
    ]
    assert all(event["lost"] == 0 and event["objections"] == [] for event in stopped)
