# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester run` of a job file whose streams end by themselves, over a virtual cable: the suite "job"."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.commands import main as cli
from TesterLibrary.reporting.pages.rebuild import EVIDENCE
from TesterLibrary.reporting.record.records import read

_JOB = """
version: 1
name: talk
testbed: embedded/loopback
loss: 0
ports: [{name: p1, speed: 1 Gbps}, {name: p2, speed: 1 Gbps}]
streams:
  - name: north
    tx: p1
    rx: p2
    messages: {repeat: false, list: [{packets: 50, interval: 1 ms, packet_interval: 100 us, count: 4}]}
"""


def test_streams_that_end_are_sent_to_their_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.yaml").write_text(_JOB)
    status = cli.main(["run", "job.yaml", "--output", "run"])
    records = read(Path("run", EVIDENCE))
    (test,) = records.tests
    assert (status, test.outcome) in ((0, "PASS"), (2, "INCONCLUSIVE")), test.message
    assert records.trials[-1].trial.sent == 200
