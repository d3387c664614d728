# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A signal ends a process behind a call of a library, never in the middle of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from TesterLibrary.testbeds.far_end import far_end
from TesterLibrary.testbeds.processes import deferred_signals


class Ended(Exception):
    """The exception of the handler of a signal."""


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    def end(number: int, _: object) -> None:
        raise Ended(number)

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_handler_is_called_behind_the_block(number: signal.Signals) -> None:
    steps = []

    def run() -> None:
        with deferred_signals():
            steps.append("before")
            signal.raise_signal(number)
            steps.append("after")

    with pytest.raises(Ended, match=str(int(number))):
        run()
    assert steps == ["before", "after"]
    with pytest.raises(Ended):
        signal.raise_signal(number)


def test_a_signal_outweighs_an_error_of_the_block() -> None:
    def run() -> None:
        with deferred_signals():
            signal.raise_signal(signal.SIGTERM)
            raise AttributeError("no socket")

    with pytest.raises(Ended) as ended:
        run()
    assert isinstance(ended.value.__context__, AttributeError)


def test_without_a_signal_nothing_happens() -> None:
    with deferred_signals():
        pass


def test_other_threads_leave_handlers_alone() -> None:
    def run() -> None:
        with deferred_signals():
            pass

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    with pytest.raises(Ended):
        signal.raise_signal(signal.SIGTERM)


class Torn:
    """A netlink socket in whose use a signal arrives."""

    closed = False

    def __enter__(self) -> Torn:
        signal.raise_signal(signal.SIGTERM)
        return self

    def __exit__(self, *_: object) -> None:
        Torn.closed = True

    def link_lookup(self, **_: object) -> list[int]:
        return []

    def get_links(self, *_: object, **__: object) -> list[object]:
        return []

    def link(self, *_: object, **__: object) -> list[object]:
        return []


def test_a_socket_of_netlink_is_closed_before_the_process_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("TesterLibrary.testbeds.far_end.IPRoute", Torn)
    with pytest.raises(Ended):
        far_end("eth0")
    assert Torn.closed
