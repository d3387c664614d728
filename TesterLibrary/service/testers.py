# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The testers of a lab: each is looked at before a grant, and holds its own lease for who has its place."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from ..errors import TesterLibraryError
from ..model.units.units import Duration
from ..reporting.record.machine import wall_clock
from . import labgrid
from .checking import problem_of
from .config import ServedPlace
from .keeper import Keeper
from .scheduler import Lease

T = TypeVar("T")
_THREADS = 32  # that wait for testers


class Testers:
    """The testers of the places of a service. Its calls wait in threads, never in the event loop."""

    __test__ = False

    def __init__(self) -> None:
        self.looked_at: dict[str, str] = {}  # when, by place
        self._keepers: dict[str, Keeper] = {}  # by lease
        self._fit_until_s: dict[str, float] = {}  # by place
        self._threads = ThreadPoolExecutor(_THREADS, "tester")

    def close(self) -> None:
        """Waits for nobody. Testers keep their leases for the process that comes next."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def in_thread(self, call: Callable[..., T], *given: Any, **named: Any) -> T:
        """Makes a call that waits for a tester."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(call, *given, **named))

    def keeper(self, lease_id: str) -> Keeper | None:
        """The keeper of the tester's own lease; None for a tester that each run starts."""
        return self._keepers.get(lease_id)

    @property
    def kept(self) -> list[str]:
        """The leases whose testers hold a lease of their own."""
        return list(self._keepers)

    def has_lost(self, lease: Lease, place: ServedPlace) -> bool:
        """Whether the tester has ended its own lease."""
        keeper = self._keepers.get(lease.id)
        return place.address is not None and (keeper is None or not keeper.is_kept)

    def needs_look(self, place: ServedPlace) -> bool:
        """Whether a tester has to be reached, or looked at, before its place is granted."""
        return bool(place.address or place.labgrid) or not self._is_fit(place)

    def _is_fit(self, place: ServedPlace) -> bool:
        """Whether a place needs no look: it was looked at a short time ago, or is never."""
        if place.check == "none" or place.testbed.dut.is_simulated:
            return True
        return time.monotonic() < self._fit_until_s.get(place.name, 0.0)

    async def acquire(self, lease: Lease, place: ServedPlace, *, force: bool) -> str:
        """Acquires a tester for a lease, and looks at it. Returns what is wrong; empty: it is acquired."""
        problem = ""
        try:
            if place.labgrid:
                await self.in_thread(labgrid.acquire, place.labgrid, lease.owner)
            if place.address:
                ttl = Duration(round(lease.wish.ttl_s * 10**9))
                owner = ascii(lease.owner)[1:-1][:128]
                self._keepers[lease.id] = await self.in_thread(
                    Keeper.acquire, place, place.address, owner, ttl, force=force
                )
            elif not self._is_fit(place):
                problem = await self.in_thread(problem_of, place)
        except TesterLibraryError as error:
            problem = str(error).removeprefix("INCONCLUSIVE: ")
        except Exception as error:  # whatever it is, the next user must not get a tester that nobody has seen
            problem = f"it could not be looked at: {error!r}"
        if problem:
            await self.let_go(lease.id, place)
        else:
            self._fit_until_s[place.name] = time.monotonic() + place.fresh.seconds
        self.looked_at[place.name] = wall_clock()
        return problem

    async def resume(self, lease_id: str, place: ServedPlace, token: str) -> None:
        """Goes on with the lease of a tester that an earlier process has acquired; it may be lost."""
        if place.address and lease_id not in self._keepers:
            with suppress(TesterLibraryError):
                self._keepers[lease_id] = await self.in_thread(Keeper.resume, place, place.address, token)

    async def let_go(self, lease_id: str, place: ServedPlace | None) -> None:
        """Ends the tester's own lease, which stops what is sent, and that of labgrid."""
        if keeper := self._keepers.pop(lease_id, None):
            await self.in_thread(keeper.release)
        if place and place.labgrid:
            try:
                await self.in_thread(labgrid.release, place.labgrid)
            except TesterLibraryError as problem:  # the next grant finds out
                print(f"tester serve: {place.name} stays acquired: {problem}", flush=True)
