# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A monitor polls in a thread of its own while a suite starts and stops: both share one switch."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from TesterLibrary.targets.tofino.fake import FakeSwitch
from TesterLibrary.targets.tofino.session.program import Program
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch
from TesterLibrary.targets.tofino.session.session import SwitchSession

from .driver.test_target import PATIENCE, Driven
from .rig import FOLDER, SCHEMA, SECOND, Bench, cabling

REQUESTS = 300  # of each of two threads
ECHO = """
import json, sys, time
for number, line in enumerate(sys.stdin):
    time.sleep(0.0005 * (number % 3))
    print(json.dumps({"done": int(json.loads(line)["front"])}), flush=True)
"""


def both(*do: Callable[[], None]) -> None:
    """Runs functions at once. Raises what one of them raised."""
    errors: list[BaseException] = []

    def caught(run: Callable[[], None]) -> None:
        try:
            run()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=caught, args=(run,)) for run in do]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_answers_of_two_threads_are_not_swapped() -> None:
    switch = RemoteSwitch([sys.executable, "-c", ECHO], patience=Duration(10 * 10**9))
    swapped: list[tuple[int, int]] = []

    def ask(first: int) -> Callable[[], None]:
        def run() -> None:
            for asked in range(first, first + REQUESTS):
                answered = switch.device_port(str(asked))
                if answered != asked:
                    swapped.append((asked, answered))

        return run

    both(ask(0), ask(10_000))
    switch.close()
    assert swapped == []


class Alone:
    """A switch that notices when it is asked while it is still busy with another request."""

    def __init__(self, switch: FakeSwitch) -> None:
        self._switch, self.clashes, self._busy = switch, 0, False

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._switch, name)

        def alone(*given: Any, **named: Any) -> Any:
            self.clashes += self._busy
            self._busy = True
            time.sleep(0.0002)
            found = call(*given, **named)
            self._busy = False
            return found

        return alone


def test_a_target_asks_for_one_thing_at_a_time() -> None:
    tester = Bench()
    switch = Alone(FakeSwitch(tester.daemon))
    session = SwitchSession(lambda: switch, SCHEMA, cabling(), patience=SECOND, sleep=tester.clock.sleep)
    target = TofinoTarget(
        session, Program.load(FOLDER), now_ns=lambda: tester.clock.now_ns, sleep=tester.clock.sleep
    )
    target.load(Driven().plan())

    def monitor() -> None:
        for _ in range(50):
            target.snapshot(["north"])

    def suite() -> None:
        for _ in range(10):
            target.start(["north"], packets=5)
            target.wait(["north"], timeout=PATIENCE)
            target.stop(["north"])

    both(monitor, suite)
    assert switch.clashes == 0
    target.close()
