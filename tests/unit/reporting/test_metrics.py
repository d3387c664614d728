# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from pathlib import Path

from TesterLibrary.reporting.metrics import FILE, metrics, write
from TesterLibrary.reporting.records import read

from .golden import GOLDEN, record_run

_SAMPLE = re.compile(r'^(tester_\w+)\{((?:\w+="(?:[^"\\\n]|\\.)*",?)+)\} ([-+0-9.e]+)$')


def test_each_number_of_each_trial_is_there() -> None:
    records = read(GOLDEN / "evidence")
    lines = metrics(records).splitlines()
    assert lines[-1] == "# EOF"
    samples = [found for line in lines if not line.startswith("#") if (found := _SAMPLE.match(line))]
    assert len(samples) == sum(not line.startswith("#") for line in lines)
    sent = [float(s[3]) for s in samples if s[1] == "tester_sent_frames"]
    assert sent == [float(t.trial.sent) for t in records.trials]
    longest = [float(s[3]) for s in samples if s[1] == "tester_latency_max_seconds"]
    assert longest == [t.trial.latency.max / 1e9 for t in records.trials if t.trial.latency.max is not None]
    assert 'valid="false"' in metrics(records)


def test_every_family_is_declared_once_before_its_samples() -> None:
    families = [
        line.split()[2] for line in metrics(read(GOLDEN / "evidence")).splitlines() if "# TYPE" in line
    ]
    assert len(families) == len(set(families)) > 5


def test_it_lies_beside_the_records(tmp_path: Path) -> None:
    assert write(tmp_path) is None
    record_run(tmp_path / "evidence")
    assert write(tmp_path / "evidence") == tmp_path / "evidence" / FILE
