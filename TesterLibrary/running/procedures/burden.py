# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams that load the device while something else is measured (RFC 3918 §8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from ...measurement.trial import Trial
from ...model.stream import Stream
from ..tester import Tester
from ..trial import StreamRun


class Burden:
    """Sends its streams at their own rates beside each measurement; each time is a trial of its own."""

    def __init__(self, tester: Tester, streams: Sequence[Stream]) -> None:
        """PlanError: streams that cannot be sent together."""
        self._tester = tester
        self.streams = tuple(streams)
        self.trials: list[Trial] = []
        if self.streams:
            tester.check(self.streams)

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Sends them for as long as the block takes; nothing, if there are none."""
        if not self.streams:
            yield
            return
        tester = self._tester
        with StreamRun(tester, f"burden-{len(self.trials) + 1}", self.streams).loaded() as run:
            run.start()
            yield
            tester.target.stop([run.name])
            trial = run.finish()
        tester.evidence.next_trial()
        load = tester.busiest(self.streams)
        self.trials.append(tester.evidence.record(replace(trial, load=load)))
