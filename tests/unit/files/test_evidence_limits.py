# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.files.evidence_limits import evidence_limits
from TesterLibrary.measurement.evidence import EvidenceLimits


def test_the_shipped_file_states_the_defaults() -> None:
    assert evidence_limits() == EvidenceLimits()


def test_a_file_may_state_a_part(tmp_path: Path) -> None:
    path = tmp_path / "evidence.yaml"
    path.write_text("version: 1\nevidence:\n  shortfall: 1 ppm\n  worker_gap: 2 ms\n")
    limits = evidence_limits(path)
    assert limits.max_shortfall == Fraction(1, 10**6)
    assert limits.max_worker_gap_ns == 2_000_000
    assert limits.max_clock_drift == EvidenceLimits().max_clock_drift


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version: 2", ":1: version: 2 is not allowed; give 1"),
        (
            "version: 1\nevidence: {shortfal: 1 ppm}",
            ":2: evidence.shortfal: there is no such key (did you mean",
        ),
        ("version: 1\nevidence: {worker_gap: 5 m}", ":2: evidence.worker_gap: '5 m' is not a time"),
        (
            "version: 1\nevidence: {tester_drops: -1}",
            ":2: evidence.tester_drops: -1 is not allowed; give a nu",
        ),
        (
            "version: 1\nevidence: {links_down: one}",
            ":2: evidence.links_down: 'one' is not allowed; give a num",
        ),
        ("a: [", ":1: not YAML"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "evidence.yaml"
    path.write_text(text)
    with pytest.raises(TesterLibraryError, match=r"evidence\.yaml") as caught:
        evidence_limits(path)
    assert message in str(caught.value)
