# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A database that fails, without a server; `tests/faults/test_service_database.py` has the whole."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.reporting.trend.address import Address
from TesterLibrary.service import store as store_module
from TesterLibrary.service.config import shipped_places
from TesterLibrary.service.lab import Lab
from TesterLibrary.service.ledger import Caller, Ledger, Work
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
        store.check()
        file, away = tmp_path / "service.sqlite", tmp_path / "away.sqlite"
        file.rename(away)
        with pytest.raises(TesterLibraryError, match="removed or replaced; put it back"):
            store.check()
        assert not file.exists(), "none is made"
        file.touch()
        with pytest.raises(TesterLibraryError, match="removed or replaced"):
            store.check()
        away.rename(file)
        store.check()


class StandsStill:
    """A server that answers until it stands still; then it ends nothing by itself."""

    def __init__(self) -> None:
        self.tables = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.still = False
        self.abandoned = threading.Event()

    @contextmanager
    def opened(self, *_: Any, **__: Any) -> Iterator[StandsStill]:
        yield self

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        if self.still:
            assert self.abandoned.wait(60), "nobody has given up"
            raise OSError("the connection is closed")
        if "pg_try_advisory_lock" in statement:
            return [(True,)]
        if "information_schema" in statement:
            statement = "select name from sqlite_master where type = 'table'"
        if statement.startswith("\ncreate table"):
            for part in statement.partition("create function")[0].split(";"):
                self.tables.execute(part)
            return []
        return self.tables.execute(statement, values).fetchall()

    def abandon(self) -> None:
        self.abandoned.set()

    @contextmanager
    def standing_still(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Nobody is patient meanwhile."""
        with monkeypatch.context() as patch:
            patch.setattr(store_module, "_PATIENCE_S", 0.05)
            self.still = True
            yield
            self.still = False
            self.abandoned.clear()


def test_a_server_that_stands_still_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    server = StandsStill()
    monkeypatch.setattr(store_module, "open_server", server.opened)
    monkeypatch.setattr(store_module, "_PATIENCE_S", 600.0)
    store = Store(Address.parse("postgresql://lab@db/service"))
    ledger = Ledger(store)

    async def asked() -> None:
        await ledger.ask(Store.load)
        with server.standing_still(monkeypatch):
            with pytest.raises(Unready, match="did not answer within 0"):
                await ledger.keep(Work(lines=[ALICE.line("look", "", 200)]))
            assert "postgresql://lab@db/service did not answer within 0.05 s" in ledger.problem
            assert await ledger.recover() is None
        assert await ledger.recover() is not None
        ledger.problem = ""
        await ledger.keep(Work(lines=[ALICE.line("look", "", 200)]))
        with server.standing_still(monkeypatch), pytest.raises(Unready):
            await ledger.ask(Store.users)
        ledger.look()
        assert "did not answer" in ledger.problem, "also if nobody writes"

    asyncio.run(asyncio.wait_for(asked(), 60))
    ledger.close()


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
