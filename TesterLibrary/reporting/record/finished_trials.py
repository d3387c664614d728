# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials that an interrupted attempt at a test has finished: its next attempt takes them over.

`tester certify --resume` puts the records of a test that runs again aside. The test then begins anew, and
asks for the same trials in the same order, since each procedure goes by what its trials have found. A trial
is taken over where exactly the same was asked of the same tester, and the tester had done its part; from the
first one on that was asked otherwise, all are measured.

A trial of streams is its own record. What a trial of connections, addresses, neighbours or groups has found
is an event, an *observation*, with the records of the streams that were sent for it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, TypeVar

from ...measurement import remarks
from ...measurement.trial import Trial
from .codec import decode, encode

ASIDE = "interrupted"  # folders of the evidence with what was recorded of tests that run again
LOOKED = "device_looked_at"  # an event: by a keyword that may have wanted it to have seen the trials
OBSERVATION = "observation"  # an event: what a trial that is none of streams has found
BEGUN = "observation_begun"  # an event: from here on the device may have something in its tables

T = TypeVar("T")


def fingerprint(**asked: object) -> str:
    """The same text for the same values, in each process."""
    return sha256(json.dumps(encode(asked), sort_keys=True).encode()).hexdigest()


def measured_at(record: Mapping[str, Any]) -> str:
    """When the trial of a record was measured; one that was taken over keeps that."""
    return str(record.get("measured_at") or record["at"])


@dataclass(frozen=True)
class Finished(Generic[T]):
    """A trial by what it has found, with its record and the folder that has it."""

    found: T
    record: Mapping[str, Any]
    folder: str
    sent: tuple[Mapping[str, Any], ...] = ()  # trials of the streams that were sent for an observation

    @property
    def measured_at(self) -> str:
        """When it was measured, by whichever attempt."""
        return measured_at(self.record)


@dataclass(frozen=True)
class _Left:
    """A record that is left, and what it holds."""

    record: Mapping[str, Any]
    values: Mapping[str, Any]
    sent: tuple[Mapping[str, Any], ...] = ()


class FinishedTrials:
    """The trials of one test that were finished, in their order."""

    def __init__(self, left: Iterable[_Left] = (), folder: str = "", *, begun: bool = False) -> None:
        self._left, self._folder = deque(left), folder
        self.measured_at: list[str] = []  # of each trial that was taken over so far
        self.begun = begun  # whether the device may have in its tables what an interrupted trial put there

    @property
    def taken(self) -> int:
        """The trials that were taken over so far."""
        return len(self.measured_at)

    @classmethod
    def of(cls, evidence: Path, suite: str, test: str) -> FinishedTrials:
        """The attempt at a test that came the furthest; none of them if a keyword looks at the device."""
        left: Sequence[_Left] = ()
        name, begun, looked = "", False, False
        for folder in sorted(evidence.glob(f"{ASIDE}-*"), key=lambda path: int(path.name.rpartition("-")[2])):
            events = [*_records(folder / "events.jsonl", suite, test)]
            begun = begun or any(r["event"] == BEGUN for r in events)
            looked = looked or any(r["event"] == LOOKED for r in events)
            found = _in_order([*_records(folder / "trials.jsonl", suite, test)], events)
            if len(found) >= len(left):
                left, name = found, folder.name
        return cls(() if looked else left, name, begun=begun)

    def next(self, asked: str, kind: type[T]) -> Finished[T] | None:
        """The next trial, if it is what is asked for, and is known to say something about the device."""
        if not self._left:
            return None
        left = self._left.popleft()
        if left.record["asked"] != asked:
            self._left.clear()
            return None
        found = decode(kind, left.values)
        if getattr(found, "objections", ()):
            return None
        if isinstance(found, Trial) and (remarks.unconfirmed(found) or found.delay_objections):
            return None
        return Finished(found, left.record, self._folder, left.sent)


def _in_order(trials: Sequence[Mapping[str, Any]], events: Iterable[Mapping[str, Any]]) -> list[_Left]:
    """The trials of streams that are known by what was asked, and the observations, as they were finished."""
    found: list[_Left] = []
    behind = 0
    for event in events:
        if event["event"] == OBSERVATION:
            first, behind_it = event["trials"]
            found += _of_streams(trials[behind:first])
            found.append(_Left(event, event["found"], tuple(trials[first:behind_it])))
            behind = behind_it
    return [*found, *_of_streams(trials[behind:])]


def _of_streams(trials: Iterable[Mapping[str, Any]]) -> list[_Left]:
    """Those of streams; of several attempts at a trial the last one, by which its procedure went."""
    return [_Left(r, r) for r in {r["number"]: r for r in trials if "asked" in r}.values()]


def _records(path: Path, suite: str, test: str) -> Iterator[dict[str, Any]]:
    """The records of a test, without a last line that was not finished."""
    name = json.dumps(test, ensure_ascii=False)
    for line in path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else ():
        if name in line:  # a record of a trial is long
            record = json.loads(line)
            if (record["suite"], record["test"]) == (suite, test):
                yield record
