# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A packet and its first retransmission are lost a hundred times: counters and trace say so each time.

`pytest -m long -s tests/acceptance/test_every_time.py` prints how many times.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from TesterLibrary.files import paths

from .robots import SUITES, robot

ROUNDS = 100
_SECONDS = 3000  # on a busy machine; a minute or two on a quiet one


@pytest.mark.long
@pytest.mark.timeout(_SECONDS + 60)
@pytest.mark.parametrize(
    ("suite", "test"),
    [
        pytest.param(SUITES / "lost_twice.robot", "A Data Segment And Its First Retransmission", id="tcp"),
        pytest.param(
            paths.suite_root() / "inline" / "roce_go_back_n.robot",
            "That Packet And Its First Retransmission",
            id="roce",
        ),
    ],
)
def test_a_loss_and_that_of_its_retransmission_are_counted_every_time(
    suite: Path, test: str, tmp_path: Path
) -> None:
    listener = Path(f"{SUITES / 'Rounds.py'}:{ROUNDS}")
    tests = robot(suite, tmp_path, only=test, listener=listener, seconds=_SECONDS)
    outcomes = Counter(each.status for each in tests.values())
    print(f"{suite.stem}: {outcomes['PASS']} of {ROUNDS}")
    wrong = {name: each.message for name, each in tests.items() if each.status != "PASS"}
    assert not wrong
    assert outcomes["PASS"] == ROUNDS
