# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An end that answers beside a measurement, as a job of its own."""

from __future__ import annotations

from contextlib import suppress

from ..errors import TargetError
from ..model.job import Job
from ..model.responder import Responder
from .tester import Tester


class Answering:
    """A responder from its start until it is stopped. Nobody asks what it did."""

    def __init__(self, tester: Tester, job: str, end: Responder) -> None:
        """Starts it. PlanError if the tester refuses it: nothing has changed then."""
        self._target = tester.target
        self._job = job
        plan = tester.compile(Job(job, ends=(end,), seed=tester.seed))
        self._target.load(plan)
        try:
            self._target.start([job])
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Makes it silent. If the tester is gone, so is the end; the next call to the tester raises."""
        with suppress(TargetError):
            self._target.stop([self._job], abandon=True)
        with suppress(TargetError):
            self._target.unload([self._job])
