# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.pages.metrics import FILE, metrics, write
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.records import Records, TrialRecord

from ..golden import golden_records, record_run
from ..simulated import SimulatedBench

_SAMPLE = re.compile(r'^(tester_\w+)\{((?:\w+="(?:[^"\\\n]|\\.)*",?)+)\} ([-+0-9.e]+)$')


def test_each_number_of_each_trial_is_there() -> None:
    records = golden_records()
    lines = metrics(records).splitlines()
    assert lines[-1] == "# EOF"
    samples = [found for line in lines if not line.startswith("#") if (found := _SAMPLE.match(line))]
    assert len(samples) == sum(not line.startswith("#") for line in lines)
    sent = [float(s[3]) for s in samples if s[1] == "tester_sent_frames"]
    assert sent == [float(t.trial.sent) for t in records.trials]
    longest = [float(s[3]) for s in samples if s[1] == "tester_latency_max_seconds"]
    assert longest == [t.trial.latency.max / 1e9 for t in records.trials if t.trial.latency.max is not None]
    assert 'valid="false"' in metrics(records)


def test_what_was_not_counted_is_not_there() -> None:
    """A tester without these counters has sent and received frames, and that is all it can say."""
    lines = [line for line in metrics(golden_records()).splitlines() if 'testbed="uncounted"' in line]
    families = {line.partition("{")[0] for line in lines}
    assert families >= {"tester_sent_frames", "tester_received_frames"}
    assert not families & {"tester_lost_frames", "tester_duplicated_frames", "tester_reordered_frames"}
    counted = [line for line in metrics(golden_records()).splitlines() if 'bed="simulated"' in line]
    assert any(line.startswith("tester_lost_frames{") and line.endswith(" 0") for line in counted)


def test_frames_that_left_are_those_that_left() -> None:
    """This holds also where nobody measures which of them arrived."""
    tester = SimulatedBench()
    trial = tester.measure(Fraction(1, 10), Duration(10**9))
    deaf = replace(trial, streams=(replace(trial.streams[0], measured=False),))
    text = metrics(Records(run={}, trials=(TrialRecord(RecordPlace(), 1, deaf),)))
    assert re.search(r"^tester_sent_frames\{.*\} 148809$", text, re.MULTILINE)
    assert "tester_lost_frames{" not in text


def test_every_family_is_declared_once_before_its_samples() -> None:
    families = [line.split()[2] for line in metrics(golden_records()).splitlines() if "# TYPE" in line]
    assert len(families) == len(set(families)) > 5


def test_it_lies_beside_the_records(tmp_path: Path) -> None:
    assert write(tmp_path) is None
    record_run(tmp_path / "evidence")
    assert write(tmp_path / "evidence") == tmp_path / "evidence" / FILE
