# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Waits for several testers at once, with one progress."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from queue import SimpleQueue

from ...model.units.units import Duration
from ..base import SendingProgress
from .members import Member, Members

_Report = tuple[str, SendingProgress | None]  # None: the wait for that tester is over


class _Abandoned(Exception):
    """Ends the wait of one tester, because that of another has failed."""


def wait_for_all(
    members: Members,
    jobs: Mapping[str, Sequence[str]],
    timeout: Duration,
    on_progress: Callable[[SendingProgress], None] | None,
) -> None:
    """Returns when no tester sends a job. `jobs` are those of each tester, by its name.

    `on_progress` is called in this thread, with the sums over all testers.
    """
    reports: SimpleQueue[_Report] = SimpleQueue()
    failed: list[str] = []  # the first tester whose wait has failed

    def wait(member: Member) -> None:
        def report(progress: SendingProgress) -> None:
            if failed:
                raise _Abandoned
            reports.put((member.name, progress))

        try:
            member.target.wait(jobs[member.name], timeout=timeout, on_progress=report)
        except _Abandoned:
            pass
        except BaseException:
            failed.append(member.name)
            raise
        finally:
            reports.put((member.name, None))

    asked = [member for member in members if member.name in jobs]
    with members.running(wait, asked) as calls:
        try:
            _follow(reports, [member.name for member in asked], on_progress)
        except BaseException:
            failed.append("")
            raise
    members.answers(asked, calls)


def _follow(
    reports: SimpleQueue[_Report],
    testers: Sequence[str],
    on_progress: Callable[[SendingProgress], None] | None,
) -> None:
    latest: dict[str, SendingProgress] = {}
    waiting = set(testers)
    sending = False  # as was said last
    while waiting:
        name, progress = reports.get()
        if progress is None:
            waiting.remove(name)
            continue
        latest[name] = progress
        if on_progress:
            # A tester that has not reported may be sending.
            sending = any(p.sending for p in latest.values()) or bool(waiting - latest.keys())
            on_progress(_sum(latest.values(), sending=sending))
    if on_progress and sending:
        on_progress(_sum(latest.values(), sending=False))


def _sum(parts: Collection[SendingProgress], *, sending: bool) -> SendingProgress:
    return SendingProgress(
        tx_packets=sum(p.tx_packets for p in parts),
        rx_packets=sum(p.rx_packets for p in parts),
        intended_packets=sum(p.intended_packets for p in parts),
        sending=sending,
    )
