# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The leases of a lab at work: testers are looked at, granted and taken back. One event loop owns it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from uuid import uuid4

from ..reporting.record.machine import wall_clock
from .config import Config, ServedPlace
from .job import JobState
from .jobs import Jobs
from .ledger import SERVICE, Caller, Ledger, Work, restore_leases
from .refusal import Ended, Misfit, NotAllowed, Refusal, Unknown, Unready, Wrong
from .scheduler import Lease, Moment, Scheduler, State, Wish
from .store import Kept, Store, keep_lease, keep_note
from .testers import Testers
from .user import Role

_SHORTEST_S = 1.0
_TICK_S = 0.25
_RETRY_S = 30.0  # until an unfit place is looked at again
_REOPEN_S = 1.0


class Lab:
    """The places of a service, and who has them."""

    def __init__(self, config: Config, ledger: Ledger) -> None:
        self.config = config
        self.places = {place.name: place for place in config.places}
        self.scheduler = self._new_scheduler()
        self.jobs = Jobs(self, ledger)
        self.counts: Counter[str] = Counter()  # for metrics
        self.waited_s = 0.0
        self.out_of_use: dict[str, str] = {}  # places that an admin has taken out of use, with the reason
        self.testers = Testers()
        self.enders: list[Callable[[str], Awaitable[None]]] = []  # end what is done under a lease beside jobs
        self._ledger = ledger
        self._looking: dict[str, asyncio.Task[None]] = {}
        self._ending: dict[str, str] = {}  # leases that are about to be over, with the reason
        self._ends: set[asyncio.Task[None]] = set()
        self._unkept: dict[str, tuple[State, str, Caller]] = {}  # ends that the database does not know of
        self._forced: set[str] = set()
        self._asked_s: dict[str, float] = {}
        self._retry_s: dict[str, float] = {}
        self._ticking: asyncio.Task[None] | None = None

    def _new_scheduler(self) -> Scheduler:
        places = (place.place for place in self.config.places)
        return Scheduler(places, most_of_one=self.config.limits.leases_of_a_user)

    def now(self) -> Moment:
        """The time."""
        return Moment(time.monotonic(), wall_clock())

    async def start(self) -> None:
        """Takes up what an earlier process has left, and begins to keep time."""
        kept = await self._ledger.ask(lambda store: store.load())
        self.jobs.restore(kept.jobs)
        work = Work()
        self._restore(kept, work)
        self.jobs.mark_interrupted(work)
        await self._ledger.keep(work)
        await self._resume_testers(kept)
        work = Work()
        self._assign(work)
        await self._ledger.keep(work)
        self._ticking = asyncio.create_task(self._tick())

    async def stop(self) -> None:
        """Ends jobs. Leases stay for the process that comes next, as long as their testers keep them."""
        if self._ticking:
            self._ticking.cancel()
        await self.jobs.end_all(None, JobState.INTERRUPTED, "the service was ended")
        self.testers.close()

    # What users ask for.

    async def ask(self, caller: Caller, wish: Wish, *, force: bool = False) -> Lease:
        """A new lease, granted or waiting. `force`: the place is taken from whoever has it.

        Raises:
            Refusal: no place can ever fit, the time is none of a lease, or the caller may not use force.
        """
        self._ledger.check()
        longest = self.config.limits.lease
        if not _SHORTEST_S <= wish.ttl_s <= longest.seconds:
            raise Wrong(f"ttl_s: {wish.ttl_s:g} is no time of a lease here; give 1 to {longest.seconds:g}")
        if force:
            self._check_force(caller, wish)
        lease = self.scheduler.ask(uuid4().hex[:16], wish, self.now(), first=force)
        self._asked_s[lease.id] = time.monotonic()
        if force:
            self._forced.add(lease.id)
        work = Work([keep_lease(lease)])
        wanted = wish.place or ", ".join(f"{tag}={value}" for tag, value in wish.tags.items()) or "any place"
        work.lines.append(caller.line("take by force" if force else "ask for a lease", lease.id, 201, wanted))
        self._assign(work)
        await self._ledger.keep(work)
        holder = self.scheduler.holder(wish.place) if force else None
        if holder and holder.id not in (lease.id, *self._ending):
            await self._end(holder.id, State.TAKEN, f"{caller.name} took it by force", caller)
        return self.scheduler.lease(lease.id)

    @staticmethod
    def _check_force(caller: Caller, wish: Wish) -> None:
        if not caller.role.may(Role.ADMIN):
            raise NotAllowed(f"only an admin takes a place by force; {caller.name} is {caller.role.value}")
        if not wish.place:
            raise Misfit("place: is missing; name the place that is taken by force")

    async def renew(self, caller: Caller, lease_id: str) -> Lease:
        """The owner of a lease is there."""
        lease = self.usable(caller, lease_id)
        return self.scheduler.renew(lease.id, self.now())

    async def wait_for(self, caller: Caller, lease_id: str, timeout_s: float) -> Lease:
        """A lease once it no longer waits, or as it is after so long; its owner is heard of meanwhile."""
        until = time.monotonic() + timeout_s
        while True:
            lease = self.scheduler.lease(lease_id)
            if lease.is_for(caller.name) and not lease.state.is_over and lease_id not in self._ending:
                lease = self.scheduler.renew(lease_id, self.now())
            left = until - time.monotonic()
            if lease.state not in (State.WAITING, State.CHECKING) or left <= 0:
                return lease
            await self._ledger.news_of(lease_id, min(left, lease.wish.ttl_s / 3))

    async def allow(self, caller: Caller, lease_id: str, user: str) -> Lease:
        """Another user may use the caller's lease."""
        self._ledger.check()
        lease = self.usable(caller, lease_id)
        if lease.owner != caller.name:
            raise NotAllowed(f"lease {lease.id} is that of {lease.owner}, who alone allows others to use it")
        known = {known.name for known in (await self._ledger.ask(Store.users)).values()}
        known |= self.config.certificates.keys()
        if known and user not in known:  # without users everybody is one
            raise Wrong(f"user: there is no user {user!r} here, so nobody could use it; give one's name")
        lease = self.scheduler.allow(lease_id, user)
        await self._ledger.keep(Work([keep_lease(lease)], [caller.line("allow", lease.id, 200, user)]))
        return lease

    async def end(self, caller: Caller, lease_id: str, *, force: bool = False, reason: str = "") -> Lease:
        """Ends a lease, with its jobs and traffic. `force`: also that of somebody else, for an admin."""
        self._ledger.check()
        lease = self._going(lease_id)
        state, why = State.RELEASED, "it was released"
        if lease.owner != caller.name:
            if not force:
                raise NotAllowed(
                    f"lease {lease.id} is that of {lease.owner}; ask {lease.owner}, or an admin, who ends it "
                    "by ?force=true"
                )
            if not caller.role.may(Role.ADMIN):
                raise NotAllowed(
                    f"only an admin ends the lease of somebody else; {caller.name} is {caller.role.value}"
                )
            state, why = State.TAKEN, f"{caller.name} ended it by force"
        await self._end(lease_id, state, reason or why, caller)
        return self.scheduler.lease(lease_id)

    async def set_use(self, caller: Caller, name: str, reason: str) -> None:
        """Takes a place out of use, for a reason, or puts it into use again. Its lease is left as it is."""
        self._ledger.check()
        self.place(name)
        work = Work(lines=[caller.line("take out of use" if reason else "put into use", name, 200, reason)])
        if reason:
            self.out_of_use[name] = self.scheduler.unfit[name] = reason
        else:
            self.out_of_use.pop(name, None)
            self.scheduler.unfit.pop(name, None)
            self._assign(work)
        work.changes.append(keep_note("out of use", self.out_of_use))
        await self._ledger.keep(work)

    def place(self, name: str) -> ServedPlace:
        """A place by its name. Unknown names those there are."""
        if name not in self.places:
            raise Unknown(f"there is no place {name!r}; there are {', '.join(self.places)}")
        return self.places[name]

    def usable(self, caller: Caller, lease_id: str, *, acquired: bool = False) -> Lease:
        """A lease that the caller may use now.

        Raises:
            Ended, NotAllowed: it is over, or that of somebody else.
            Misfit: it waits, and is to be acquired.
        """
        lease = self._going(lease_id)
        if not lease.is_for(caller.name):
            raise NotAllowed(
                f"lease {lease.id} is that of {lease.owner}; lease a place yourself, or ask {lease.owner} to "
                f"allow {caller.name}"
            )
        if acquired and lease.state is not State.ACQUIRED:
            raise Misfit(
                f"lease {lease.id} is {lease.state.value}, at position {self.scheduler.position(lease.id)}; "
                "wait until it is acquired"
            )
        return lease

    def _going(self, lease_id: str) -> Lease:
        lease = self.scheduler.going(lease_id)
        if reason := self._ending.get(lease_id):
            raise Ended(f"lease {lease.id} of {lease.owner} is over: {reason}")
        return lease

    # What happens to leases.

    def _assign(self, work: Work) -> None:
        """Gives free places away; a place that has to be looked at is granted later."""
        given = self.scheduler.assign()
        for lease in given:
            place = self.places[lease.place]
            if self.testers.needs_look(place):
                self._looking[lease.id] = asyncio.create_task(self._look(lease))
            else:
                self._grant(lease, "", work)
        work.changes += [keep_lease(self.scheduler.lease(lease.id)) for lease in given]
        if given:
            work.changes.append(keep_note("fence", self.scheduler.last_fence))

    def _grant(self, lease: Lease, problem: str, work: Work) -> None:
        after = self.scheduler.checked(lease.id, problem, self.now())
        if problem:
            self._retry_s[lease.place] = time.monotonic() + _RETRY_S
            work.lines.append(SERVICE.line("find unfit", lease.place, 503, problem))
        else:
            self.counts["granted"] += 1
            self.waited_s += time.monotonic() - self._asked_s.pop(lease.id, time.monotonic())
            said = f"{lease.place}, fence {lease.fence}, to {lease.owner}"
            work.lines.append(SERVICE.line("grant", lease.id, 200, said))
        work.changes.append(keep_lease(after))
        work.told.append(lease.id)

    async def _look(self, lease: Lease) -> None:
        """Looks at the tester of a place, and grants it or puts it out of use for a while."""
        place = self.places[lease.place]
        problem = await self.testers.acquire(lease, place, force=lease.id in self._forced)
        self._forced.discard(lease.id)
        del self._looking[lease.id]
        work = Work()
        self._grant(lease, problem, work)
        if keeper := self.testers.keeper(lease.id):
            work.changes.append(keep_note(f"token {place.name}", [lease.id, keeper.token]))
        self._assign(work)
        with suppress(Unready):  # then all is taken up anew
            await self._ledger.keep(work)

    async def _end(self, lease_id: str, state: State, reason: str, caller: Caller) -> None:
        """Ends a lease to its end, also if nobody waits for that any more."""
        await asyncio.shield(self._begin_end(lease_id, state, reason, caller))

    def _begin_end(self, lease_id: str, state: State, reason: str, caller: Caller) -> asyncio.Task[None]:
        task = asyncio.create_task(self._end_it(lease_id, state, reason, caller))
        self._ends.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._ends.discard(task)
        if task.cancelled() or isinstance(error := task.exception(), Refusal | None):
            return  # it is that of whoever waits; what cannot be kept now is when the database can be used
        print(f"tester serve: {error!r}", flush=True)

    async def _end_it(self, lease_id: str, state: State, reason: str, caller: Caller) -> None:
        self._going(lease_id)
        self._ending[lease_id] = reason
        try:
            if looking := self._looking.get(lease_id):
                await asyncio.wait([looking])
            place = self.scheduler.lease(lease_id).place
            # First: whatever a job still does, its traffic has stopped.
            await self.testers.let_go(lease_id, self.places.get(place))
            await self.jobs.end_all(lease_id, JobState.LEASE_ENDED, reason)
            for end in self.enders:
                await end(lease_id)
        finally:
            del self._ending[lease_id]
        work = Work(told=[lease_id])
        try:
            self._note_end(lease_id, state, reason, caller, work)
        except Refusal:  # the database has failed meanwhile, and did not know of the lease
            return
        self._asked_s.pop(lease_id, None)
        self.counts[state.value] += 1
        self._assign(work)
        self._unkept[lease_id] = (state, reason, caller)
        try:
            await self._ledger.keep(work)
        except Unready:
            raise Unready(
                f"lease {lease_id} has ended, and its tester is let go, but the database of the service "
                "cannot be written; that it has ended is kept as soon as it can be"
            ) from None
        self._unkept.pop(lease_id, None)

    def _note_end(self, lease_id: str, state: State, reason: str, caller: Caller, work: Work) -> None:
        """Ends a lease in the queue. Ended or Unknown if it is none that goes on there."""
        over = self.scheduler.end(lease_id, state, reason, self.now())
        work.changes.append(keep_lease(over))
        if over.place:
            work.changes.append(keep_note(f"token {over.place}", None))
        said = f"{over.owner}, {over.place}: {reason}"
        work.lines.append(caller.line("end a lease", lease_id, 200, said))

    async def _tick(self) -> None:
        """Ends leases whose time is over, looks at unfit places again, and at a database that had failed."""
        reopen_s = 0.0
        while True:
            await asyncio.sleep(_TICK_S)
            try:
                self._ledger.look()
                if self._ledger.problem and time.monotonic() > reopen_s:
                    await self._recover()
                    reopen_s = time.monotonic() + _REOPEN_S
                self._end_overdue()
                await self._look_again()
            except Exception as error:  # the next tick may do better; a clock that stands still never does
                print(f"tester serve: {error!r}", flush=True)

    def _end_overdue(self) -> None:
        """Waits for none of them: one tester that hangs would keep the leases of all others."""
        now = self.now()
        for lease in self.scheduler.overdue(now):
            if self.jobs.keeps(lease.id):
                self.scheduler.renew(lease.id, now)
            elif lease.id not in self._ending:
                reason = f"{lease.owner} was not heard of for {lease.wish.ttl_s:g} s"
                self._begin_end(lease.id, State.EXPIRED, reason, SERVICE)
        for lease in list(self.scheduler.leases([State.ACQUIRED])):
            if lease.id not in self._ending and self.testers.has_lost(lease, self.places[lease.place]):
                reason = "the tester has ended it: somebody took it by force, or it was started anew"
                self._begin_end(lease.id, State.LOST, reason, SERVICE)

    async def _look_again(self) -> None:
        """Gives places that were unfit another try."""
        now_s = time.monotonic()
        due = [name for name, at in self._retry_s.items() if now_s > at]
        for name in due:
            del self._retry_s[name]
            if name not in self.out_of_use:
                self.scheduler.unfit.pop(name, None)
        if due and not self._ledger.problem:
            work = Work()
            self._assign(work)
            await self._ledger.keep(work)

    # What was left by an earlier process, or by a database that had failed.

    def _restore(self, kept: Kept, work: Work) -> None:
        fence = max(self.scheduler.last_fence, int(kept.notes.get("fence", 0)))
        self.scheduler = self._new_scheduler()
        self.out_of_use = {n: r for n, r in (kept.notes.get("out of use") or {}).items() if n in self.places}
        self.scheduler.unfit.update(self.out_of_use)
        restore_leases(self.scheduler, kept.leases, self.now(), work)
        self.scheduler.last_fence = max(self.scheduler.last_fence, fence)

    async def _resume_testers(self, kept: Kept) -> None:
        """Goes on with the leases of testers; the next tick ends those that are lost."""
        for lease in list(self.scheduler.leases([State.ACQUIRED])):
            place = self.places[lease.place]
            note = kept.notes.get(f"token {place.name}")
            if note and note[0] == lease.id:
                await self.testers.resume(lease.id, place, note[1])

    async def _recover(self) -> None:
        """Takes up what the database holds once it can be used again."""
        if self._looking:
            await asyncio.wait(self._looking.values())
        kept = await self._ledger.recover()
        if kept is None:
            return
        self._ledger.problem = ""
        work = Work(lines=[SERVICE.line("use the database again", "", 200)])
        self._restore(kept, work)
        unkept = dict(self._unkept)
        for lease_id, end in unkept.items():
            with suppress(Refusal):  # the database never knew of it, or knows that it is over
                self._note_end(lease_id, *end, work)
        work.told += unkept
        held = {lease.id for lease in self.scheduler.leases([State.ACQUIRED])}
        for lease_id in self.testers.kept:
            if lease_id not in held:  # nobody was told of it
                await self.testers.let_go(lease_id, None)
        await self.jobs.recover(held, work)
        self._assign(work)
        await self._ledger.keep(work)
        for lease_id in unkept:
            self._unkept.pop(lease_id, None)
