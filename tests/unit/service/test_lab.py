# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Leases of a lab end in time, whatever the testers of others do."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from TesterLibrary.reporting.trend.address import Address
from TesterLibrary.service.config import shipped_places
from TesterLibrary.service.lab import Lab
from TesterLibrary.service.ledger import Caller, Ledger
from TesterLibrary.service.scheduler import State, Wish
from TesterLibrary.service.store import KIND, Store
from TesterLibrary.service.user import Role


def test_a_tester_that_hangs_keeps_no_lease_of_others(tmp_path: Path) -> None:
    """A lease of 3 s was over after 11 s, and its traffic with it; with each tester that hung 10 s later."""

    async def ended() -> None:
        ledger = Ledger(Store(Address.parse(tmp_path / "service.sqlite", KIND)))
        lab = Lab(shipped_places(), ledger)
        answers = asyncio.Event()

        async def let_go(lease_id: str, *_: Any) -> None:
            if lease_id == hers.id:
                await answers.wait()

        lab.testers.let_go = let_go  # type: ignore[method-assign, assignment]
        await lab.start()
        alice, bob = (Caller(name, Role.USER) for name in ("alice", "bob"))
        hers = await lab.ask(alice, Wish("alice", 1, "breakpoint"))
        his = await lab.ask(bob, Wish("bob", 2, "queue"))
        while not (over := lab.scheduler.lease(his.id)).state.is_over:
            await asyncio.sleep(0.02)
        assert over.state is State.EXPIRED
        assert lab.scheduler.lease(hers.id).state is State.ACQUIRED
        answers.set()
        while not lab.scheduler.lease(hers.id).state.is_over:
            await asyncio.sleep(0.02)
        await lab.stop()
        ledger.close()

    asyncio.run(asyncio.wait_for(ended(), 20))
