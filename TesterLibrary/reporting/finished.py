# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials that an interrupted attempt at a test has finished: its next attempt takes them over.

`tester certify --resume` puts the records of a test that runs again aside. The test then begins anew, and
asks for the same trials in the same order, since each procedure goes by what its trials have found. A trial
is taken over where exactly the same was asked of the same tester, and the tester had done its part; from the
first one on that was asked otherwise, all are measured.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..measurement.trial import Trial
from .codec import decode, encode

ASIDE = "interrupted"  # folders of the evidence with what was recorded of tests that run again
LOOKED = "device_looked_at"  # an event: by a keyword that may have wanted it to have seen the trials


def fingerprint(**asked: object) -> str:
    """The same text for the same values, in each process."""
    return sha256(json.dumps(encode(asked), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class FinishedTrial:
    """A trial with its record, and the folder that has it."""

    trial: Trial
    record: Mapping[str, Any]
    folder: str


class FinishedTrials:
    """The trials of one test that were finished, in their order."""

    def __init__(self, records: Iterable[Mapping[str, Any]] = (), folder: str = "") -> None:
        self._left, self._folder = deque(records), folder
        self.taken = 0  # trials that were taken over so far

    @classmethod
    def of(cls, evidence: Path, suite: str, test: str) -> FinishedTrials:
        """The attempt at a test that came the furthest; none of them if a keyword looks at the device."""
        found = cls()
        for folder in sorted(evidence.glob(f"{ASIDE}-*"), key=lambda path: int(path.name.rpartition("-")[2])):
            if any(r["event"] == LOOKED for r in _records(folder / "events.jsonl", suite, test)):
                return cls()
            # Of several attempts at a trial the last one is what its procedure went by.
            trials = {r["number"]: r for r in _records(folder / "trials.jsonl", suite, test) if "asked" in r}
            if len(trials) >= len(found._left):
                found = cls(trials.values(), folder.name)
        return found

    def next(self, asked: str) -> FinishedTrial | None:
        """The next trial, if it is what is asked for, and is known to say something about the device."""
        if not self._left:
            return None
        record = self._left.popleft()
        if record["asked"] != asked:
            self._left.clear()
            return None
        trial = decode(Trial, record)
        if not trial.valid or trial.unconfirmed or trial.delay_objections:
            return None
        return FinishedTrial(trial, record, self._folder)


def _records(path: Path, suite: str, test: str) -> Iterator[dict[str, Any]]:
    """The records of a test, without a last line that was not finished."""
    name = json.dumps(test, ensure_ascii=False)
    for line in path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else ():
        if name in line:  # a record of a trial is long
            record = json.loads(line)
            if (record["suite"], record["test"]) == (suite, test):
                yield record
