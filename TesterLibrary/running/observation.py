# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials of connections, addresses, neighbours and groups: each measured once in all attempts at its test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Generic, TypeVar

from ..measurement.trial import Trial
from ..model.endpoints import AddressRange
from ..model.ports import Address
from ..reporting.record.codec import decode
from ..reporting.record.finished_trials import BEGUN, OBSERVATION, Finished, fingerprint
from .scope import Running
from .tester import Tester

T = TypeVar("T")


@dataclass(frozen=True)
class Observation(Generic[T]):
    """A trial, by what it has found."""

    found: T
    trials: tuple[Trial, ...]  # of the streams that were sent for it
    taken_over: bool = False


def is_interrupted(tester: Tester) -> bool:
    """Whether the device may have in its tables what an interrupted attempt at this test has put there.

    A device that was made for this tester has not.
    """
    return tester.recorder.finished.begun and not tester.device_is_new


def observe(
    tester: Tester,
    kind: type[T],
    measure: Callable[[], T],
    *asked: object,
    prepare: Callable[[], None] | None = None,
    but: tuple[Running, ...] = (),
) -> Observation[T]:
    """Measures what is asked for, and records it; or takes over what an interrupted attempt has found.

    Args:
        tester: The open tester.
        kind: A dataclass of what is found. Where it has `objections` it is measured again.
        measure: Measures it, with all attempts of the tester's rules.
        asked: Everything that it depends on, besides the tester.
        prepare: Brings the device back to where it is before a trial; done before the first one that is
            measured where an interrupted attempt may have left something in its tables. None: nothing does,
            and `is_interrupted` goes on to say so.
        but: What may run while it is taken over, besides members of groups.
    """
    text = fingerprint(kind=kind.__name__, values=asked, conditions=tester.identity)
    if taken := tester.take_over(text, kind, but):
        return Observation(taken.found, _recorded_again(tester, taken), taken_over=True)
    recorder, before, asked_for = tester.recorder, tester.evidence.trials, set(tester.air.asked)
    if prepare is not None:
        if is_interrupted(tester):
            prepare()
        recorder.finished.begun = False
    recorder.event(BEGUN)
    first = len(recorder.trials)
    found = measure()
    trials = tuple(recorder.trials[first:])
    recorder.event(
        OBSERVATION,
        asked=text,
        found=found,
        trials=(first, len(recorder.trials)),
        numbers=(before, tester.evidence.trials),
        asked_for=[(row.first, row.last) for row in _rows(tester.air.asked - asked_for)],
    )
    return Observation(found, trials)


def _recorded_again(tester: Tester, taken: Finished[T]) -> tuple[Trial, ...]:
    """Records an observation, and the streams that were sent for it, as they were."""
    recorder = tester.recorder
    first, (before, after) = len(recorder.trials), taken.record["numbers"]
    behind = max(0, tester.evidence.trials - before)
    for record in taken.sent:
        trial = decode(Trial, record)
        tester.evidence.record_again(replace(trial, number=trial.number + behind), record, taken.folder)
    numbers = tester.evidence.trials, after + behind
    tester.evidence.trials = max(numbers)
    for row in taken.record["asked_for"]:
        first_address, last_address = map(ip_address, row)
        tester.air.asked.update(AddressRange(first_address, int(last_address) - int(first_address) + 1))
    recorder.event(
        OBSERVATION,
        asked=taken.record["asked"],
        found=taken.found,
        trials=(first, len(recorder.trials)),
        numbers=numbers,
        asked_for=taken.record["asked_for"],
        taken_over=taken.folder,
        measured_at=taken.measured_at,
    )
    return tuple(recorder.trials[first:])


def _rows(addresses: Iterable[Address]) -> Iterator[AddressRange]:
    """The same addresses as rows, each as long as it can be."""
    row: AddressRange | None = None
    for address in sorted(addresses, key=lambda one: (one.version, int(one))):
        if row is not None and row.last.version == address.version and int(row.last) + 1 == int(address):
            row = AddressRange(row.first, row.count + 1)
            continue
        if row is not None:
            yield row
        row = AddressRange(address)
    if row is not None:
        yield row
