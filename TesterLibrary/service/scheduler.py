# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Who gets which tester, and when: the queue of a lab. Pure: time is a parameter, nothing is stored or sent.

Users take turns: the second request of a user waits behind the first ones of those who came before it was
granted. Each grant has a fence, a number that is higher than that of every earlier grant.
"""

from __future__ import annotations

from bisect import insort
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from .refusal import Ended, Misfit, TooMany, Unknown

_REMEMBERED = 10_000  # leases that are over
_FIRST = -1  # a turn before all others


class State(Enum):
    """The states of a lease."""

    WAITING = "waiting"
    CHECKING = "checking"  # it has a place, whose tester is looked at before it is granted
    ACQUIRED = "acquired"
    RELEASED = "released"
    EXPIRED = "expired"  # its owner was not heard of for its time
    TAKEN = "taken"  # by force
    LOST = "lost"  # the tester has ended it

    @property
    def is_over(self) -> bool:
        """Whether nothing can be done with the lease any more."""
        return self not in (State.WAITING, State.CHECKING, State.ACQUIRED)


@dataclass(frozen=True)
class Place:
    """A testbed that can be leased. Of those of one group, one at a time is in use."""

    name: str
    tags: Mapping[str, str] = field(default_factory=dict)
    group: str = ""  # empty: its name

    def has(self, tags: Mapping[str, str]) -> bool:
        """Whether it has all these tags."""
        return all(self.tags.get(tag) == value for tag, value in tags.items())


@dataclass(frozen=True)
class Wish:
    """The wish of a user: a place by its name, or any with these tags."""

    owner: str
    ttl_s: float
    place: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Moment:
    """A time: on a clock that nobody sets, and as people write it."""

    s: float
    wall: str = ""


@dataclass(frozen=True)
class Lease:
    """A wish from when it was made until it is over."""

    id: str
    wish: Wish
    number: int  # of the wish: higher than that of every earlier one
    turn: int  # wishes of an earlier turn come first
    state: State
    deadline_s: float  # expires then, if nothing is heard of its owner
    asked_at: str = ""
    place: str = ""  # where it is, or was, checked or acquired
    fence: int = 0  # of the last time it was given a place; 0: it never was
    acquired_at: str = ""
    ended_at: str = ""
    reason: str = ""  # why it is over
    allowed: tuple[str, ...] = ()  # users who may use it beside its owner

    @property
    def owner(self) -> str:
        """Who has asked for it."""
        return self.wish.owner

    @property
    def rank(self) -> tuple[int, int]:
        """The order of those who wait."""
        return self.turn, self.number

    def is_for(self, user: str) -> bool:
        """Whether a user may use it."""
        return user == self.owner or user in self.allowed


class Scheduler:
    """The leases of some places. What is refused has changed nothing."""

    def __init__(self, places: Iterable[Place], *, most_of_one: int = 100) -> None:
        """`most_of_one`: leases that one user may have or wait for at a time."""
        self.places = {place.name: place for place in places}
        self.unfit: dict[str, str] = {}  # places that are not given to anybody, with the reason
        self.last_fence = self._last_number = 0
        self._most_of_one = most_of_one
        self._leases: dict[str, Lease] = {}  # that are not over
        self._over: OrderedDict[str, Lease] = OrderedDict()
        self._waiting: list[tuple[tuple[int, int], str]] = []
        self._usable: dict[str, frozenset[str]] = {}  # places by lease that waits
        self._held: dict[str, str] = {}  # leases by group
        self._turn = 0  # of the newest grant
        self._turns: dict[str, int] = {}  # of the last wish of each user

    def ask(self, lease_id: str, wish: Wish, now: Moment, *, first: bool = False) -> Lease:
        """Puts a wish into the queue; `first`: before all others.

        Raises:
            Unknown: there is no such place, or none with these tags.
            TooMany: the user has too many already.
        """
        usable = self._places_of(wish)
        mine = sum(lease.owner == wish.owner for lease in self._leases.values())
        if mine >= self._most_of_one:
            raise TooMany(
                f"{wish.owner} has {mine} leases, waiting ones included; release one before you ask for more"
            )
        self._last_number += 1
        turn = _FIRST if first else max(self._turn, self._turns.get(wish.owner, -1) + 1)
        self._turns[wish.owner] = max(turn, self._turns.get(wish.owner, -1))
        lease = Lease(
            lease_id, wish, self._last_number, turn, State.WAITING, now.s + wish.ttl_s, asked_at=now.wall
        )
        self._leases[lease.id] = lease
        self._queue(lease, usable)
        return lease

    def _places_of(self, wish: Wish) -> frozenset[str]:
        if wish.place and wish.place not in self.places:
            raise Unknown(f"there is no place {wish.place!r}; there are {', '.join(self.places)}")
        named = [self.places[wish.place]] if wish.place else list(self.places.values())
        usable = frozenset(place.name for place in named if place.has(wish.tags))
        if not usable:
            asked = ", ".join(f"{tag}={value}" for tag, value in wish.tags.items())
            known = "; ".join(
                f"{p.name}: {', '.join(f'{tag}={value}' for tag, value in p.tags.items()) or 'no tags'}"
                for p in named
            )
            raise Unknown(f"no place has {asked}; {known}")
        return usable

    def _queue(self, lease: Lease, usable: frozenset[str]) -> None:
        self._usable[lease.id] = usable
        insort(self._waiting, (lease.rank, lease.id))

    def assign(self) -> list[Lease]:
        """Gives free places to those who wait, in their order. They are to be checked."""
        free = {p.name for p in self.places.values() if p.name not in self.unfit and not self.holder(p.name)}
        given: list[Lease] = []
        while free:
            found = next((pair for pair in self._waiting if not free.isdisjoint(self._usable[pair[1]])), None)
            if found is None:
                break
            self._waiting.remove(found)
            lease = self._leases[found[1]]
            # Who asks for little does not take what can do more.
            name = min(
                free & self._usable.pop(lease.id), key=lambda name: (len(self.places[name].tags), name)
            )
            group = self._group(name)
            free = {other for other in free if self._group(other) != group}
            self.last_fence += 1
            self._held[group] = lease.id
            self._turn = max(self._turn, lease.turn)
            given.append(self._set(lease, state=State.CHECKING, place=name, fence=self.last_fence))
        return given

    def checked(self, lease_id: str, problem: str, now: Moment) -> Lease:
        """The tester of a place was looked at: the lease is granted, or waits on, and the place is unfit."""
        lease = self._leases[lease_id]
        assert lease.state is State.CHECKING
        if not problem:
            deadline_s = now.s + lease.wish.ttl_s
            return self._set(lease, state=State.ACQUIRED, acquired_at=now.wall, deadline_s=deadline_s)
        del self._held[self._group(lease.place)]
        self.unfit[lease.place] = problem
        waiting = self._set(lease, state=State.WAITING, place="")
        self._queue(waiting, self._places_of(lease.wish))
        return waiting

    def renew(self, lease_id: str, now: Moment) -> Lease:
        """The owner of a lease was heard of. Ended if it is over."""
        lease = self.going(lease_id)
        return self._set(lease, deadline_s=now.s + lease.wish.ttl_s)

    def allow(self, lease_id: str, user: str) -> Lease:
        """Another user may use a lease."""
        lease = self.going(lease_id)
        return self._set(lease, allowed=tuple(sorted({*lease.allowed, user})))

    def end(self, lease_id: str, state: State, reason: str, now: Moment) -> Lease:
        """Ends a lease, and frees its place. Ended if it is over already."""
        lease = self.going(lease_id)
        if lease.state is State.WAITING:
            self._waiting.remove((lease.rank, lease.id))
            del self._usable[lease.id]
            if lease.turn == self._turns[lease.owner]:  # a turn that was not taken
                self._turns[lease.owner] -= 1
        else:
            del self._held[self._group(lease.place)]
        del self._leases[lease.id]
        over = replace(lease, state=state, reason=reason, ended_at=now.wall)
        self.remember(over)
        return over

    def overdue(self, now: Moment) -> list[Lease]:
        """The leases whose owners were not heard of in time. One that is checked is left to its end."""
        return [
            lease
            for lease in self._leases.values()
            if now.s >= lease.deadline_s and lease.state is not State.CHECKING
        ]

    def restore(self, lease: Lease, now: Moment) -> None:
        """Takes up a lease of an earlier process, with its whole time before it."""
        self.last_fence = max(self.last_fence, lease.fence)
        self._last_number = max(self._last_number, lease.number)
        self._turn = max(self._turn, lease.turn if lease.fence else 0)
        self._turns[lease.owner] = max(lease.turn, self._turns.get(lease.owner, 0))
        if lease.state.is_over:
            self.remember(lease)
            return
        lease = replace(lease, deadline_s=now.s + lease.wish.ttl_s)
        if lease.state is State.ACQUIRED:
            group = self._group(lease.place)
            if group in self._held:
                raise Misfit(f"two leases of {lease.place}")
            self._held[group] = lease.id
            self._leases[lease.id] = lease
        else:
            lease = replace(lease, state=State.WAITING, place="")
            self._leases[lease.id] = lease
            self._queue(lease, self._places_of(lease.wish))

    def remember(self, lease: Lease) -> None:
        """Keeps a lease that is over, so that its owner is told why."""
        self._over[lease.id] = lease
        while len(self._over) > _REMEMBERED:
            self._over.popitem(last=False)

    def lease(self, lease_id: str) -> Lease:
        """A lease, also one that is over. Unknown if there is none."""
        lease = self._leases.get(lease_id) or self._over.get(lease_id)
        if lease is None:
            raise Unknown(f"there is no lease {lease_id!r}; ask for one by POST /v1/leases")
        return lease

    def going(self, lease_id: str) -> Lease:
        """A lease that is not over. Ended says why one is."""
        lease = self.lease(lease_id)
        if lease.state.is_over:
            raise Ended(
                f"lease {lease.id} of {lease.owner} is over: {lease.reason}; ask for a new one by "
                "POST /v1/leases"
            )
        return lease

    def leases(self, states: Collection[State] = ()) -> Iterator[Lease]:
        """The leases that are not over, or those in some of these states."""
        return (lease for lease in self._leases.values() if not states or lease.state in states)

    def holder(self, place: str) -> Lease | None:
        """The lease for which a place is in use."""
        lease_id = self._held.get(self._group(place))
        return self._leases[lease_id] if lease_id else None

    def position(self, lease_id: str) -> int:
        """How many grants, the own one included, it takes until a lease that waits is granted; 0: it is.

        Only those count who wait for one of the same places.
        """
        lease = self.lease(lease_id)
        if lease.state is not State.WAITING:
            return 0
        usable = self._usable[lease_id]
        return sum(
            not usable.isdisjoint(self._usable[other]) for rank, other in self._waiting if rank <= lease.rank
        )

    def waiting(self) -> int:
        """How many leases wait."""
        return len(self._waiting)

    def _group(self, place: str) -> str:
        return self.places[place].group or place

    def _set(self, lease: Lease, **changes: object) -> Lease:
        changed = self._leases[lease.id] = replace(lease, **changes)  # type: ignore[arg-type]
        return changed
