# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A database that fails, without a server; `tests/faults/test_service_database.py` has the whole."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.reporting.trend.address import Address
from TesterLibrary.service.config import shipped_places
from TesterLibrary.service.lab import Lab
from TesterLibrary.service.ledger import Caller, Ledger
from TesterLibrary.service.refusal import Unready
from TesterLibrary.service.scheduler import State, Wish
from TesterLibrary.service.store import KIND, Store
from TesterLibrary.service.user import Role

ALICE = Caller("alice", Role.USER)
FAILED = "the database of the service cannot be written (of a test)"


def opened(folder: Path) -> Store:
    return Store(Address.parse(folder / "service.sqlite", KIND))


def test_a_file_that_is_removed_renamed_or_replaced_is_missed(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as store:
        store.check_file()
        file, away = tmp_path / "service.sqlite", tmp_path / "away.sqlite"
        file.rename(away)
        with pytest.raises(TesterLibraryError, match="removed or replaced; put it back"):
            store.check_file()
        assert not file.exists(), "none is made"
        file.touch()
        with pytest.raises(TesterLibraryError, match="removed or replaced"):
            store.check_file()
        away.rename(file)
        store.check_file()


def test_an_end_that_could_not_be_kept_is_said_and_made_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: Any) -> None:
        raise Unready(FAILED)

    async def ended() -> None:
        ledger = Ledger(opened(tmp_path))
        lab = Lab(shipped_places(), ledger)
        await lab.start()
        lease = await lab.ask(ALICE, Wish("alice", 600, "breakpoint"))
        assert lease.state is State.ACQUIRED
        with monkeypatch.context() as patch:
            patch.setattr(ledger._writer, "write", fails)
            with pytest.raises(Unready, match=f"lease {lease.id} has ended, and its tester is let go"):
                await lab.end(ALICE, lease.id)
        while ledger.problem:
            await asyncio.sleep(0.02)
        (kept,) = (await ledger.ask(Store.load)).leases
        assert (kept.state, kept.reason) == (State.RELEASED, "it was released")
        assert (await lab.ask(ALICE, Wish("alice", 600, "breakpoint"))).state is State.ACQUIRED
        await lab.stop()
        ledger.close()

    asyncio.run(asyncio.wait_for(ended(), 60))
