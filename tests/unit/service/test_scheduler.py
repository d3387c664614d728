# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The queue of a lab: turns, tags, time and fences, by examples and by whatever users may do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from TesterLibrary.service.refusal import Ended, TooMany, Unknown
from TesterLibrary.service.scheduler import Lease, Moment, Place, Scheduler, State, Wish

from ...examples import examples

NOW = Moment(0.0, "now")
NORTH = Place("north", {"speed": "100G", "kind": "router"})
SOUTH = Place("south", {"speed": "10G"})


def wish(owner: str, place: str = "", ttl_s: float = 60, **tags: str) -> Wish:
    return Wish(owner, ttl_s, place, tags)


def granted(scheduler: Scheduler, now: Moment = NOW) -> list[str]:
    return [scheduler.checked(lease.id, "", now).id for lease in scheduler.assign()]


def test_a_free_place_is_given_at_once_and_the_next_one_waits() -> None:
    scheduler = Scheduler([NORTH])
    scheduler.ask("a", wish("alice"), NOW)
    scheduler.ask("b", wish("bob"), NOW)
    assert granted(scheduler) == ["a"]
    assert (scheduler.position("a"), scheduler.position("b")) == (0, 1)
    scheduler.end("a", State.RELEASED, "it was released", NOW)
    assert granted(scheduler) == ["b"]
    assert scheduler.lease("b").fence > scheduler.lease("a").fence


def test_tags_choose_and_who_asks_for_little_does_not_take_what_can_do_more() -> None:
    scheduler = Scheduler([NORTH, SOUTH])
    scheduler.ask("any", wish("alice"), NOW)
    scheduler.ask("fast", wish("bob", speed="100G"), NOW)
    assert granted(scheduler) == ["any", "fast"]
    assert [scheduler.lease(i).place for i in ("any", "fast")] == ["south", "north"]


def test_somebody_who_waits_for_another_place_keeps_nobody() -> None:
    scheduler = Scheduler([NORTH, SOUTH])
    for owner in ("alice", "bob"):
        scheduler.ask(owner, wish(owner, "north"), NOW)
    scheduler.ask("carol", wish("carol", "south"), NOW)
    assert granted(scheduler) == ["alice", "carol"]
    assert scheduler.position("bob") == 1


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        (wish("bob", "west"), Unknown, "there is no place 'west'; there are north, south"),
        (
            wish("bob", speed="1T"),
            Unknown,
            "no place has speed=1T; north: speed=100G, kind=router; south: spe",
        ),
        (wish("bob", "south", kind="router"), Unknown, "no place has kind=router; south: speed=10G"),
    ],
)
def test_what_can_never_be_granted_is_refused(asked: Wish, error: type[Exception], said: str) -> None:
    scheduler = Scheduler([NORTH, SOUTH])
    with pytest.raises(error, match=said):
        scheduler.ask("b", asked, NOW)
    assert list(scheduler.leases()) == []


def test_nobody_fills_the_queue() -> None:
    scheduler = Scheduler([NORTH], most_of_one=2)
    for number in range(2):
        scheduler.ask(str(number), wish("bob"), NOW)
    with pytest.raises(TooMany, match="bob has 2 leases, waiting ones included"):
        scheduler.ask("2", wish("bob"), NOW)
    scheduler.ask("3", wish("alice"), NOW)


def test_an_unfit_place_is_given_to_nobody_and_its_user_keeps_his_turn() -> None:
    scheduler = Scheduler([NORTH, SOUTH])
    scheduler.ask("a", wish("alice", "north"), NOW)
    scheduler.ask("b", wish("bob", "north"), NOW)
    (checking,) = scheduler.assign()
    assert scheduler.checked(checking.id, "no link on p1", NOW).state is State.WAITING
    assert scheduler.unfit == {"north": "no link on p1"}
    assert scheduler.assign() == []
    del scheduler.unfit["north"]
    assert granted(scheduler) == ["a"]


def test_places_of_one_group_are_used_one_at_a_time() -> None:
    scheduler = Scheduler([Place("a", group="machine"), Place("b", group="machine"), SOUTH])
    for name in ("a", "b", "south"):
        scheduler.ask(name, wish("alice", name), NOW)
    assert granted(scheduler) == ["a", "south"]
    scheduler.end("a", State.RELEASED, "it was released", NOW)
    assert granted(scheduler) == ["b"]


def test_a_lease_that_is_over_says_why() -> None:
    scheduler = Scheduler([NORTH])
    scheduler.ask("a", wish("alice"), NOW)
    granted(scheduler)
    scheduler.end("a", State.TAKEN, "root took it by force", NOW)
    with pytest.raises(Ended, match="lease a of alice is over: root took it by force; ask for a new one"):
        scheduler.renew("a", NOW)


def test_who_is_not_heard_of_loses_the_lease_and_his_turn() -> None:
    scheduler = Scheduler([NORTH])
    scheduler.ask("a", wish("alice", ttl_s=10), NOW)
    scheduler.ask("b", wish("bob", ttl_s=10), NOW)
    granted(scheduler)
    scheduler.renew("a", Moment(9))
    assert [lease.id for lease in scheduler.overdue(Moment(10))] == ["b"]
    assert [lease.id for lease in scheduler.overdue(Moment(19))] == ["a", "b"]


def test_a_new_process_goes_on_where_the_old_one_was() -> None:
    old, new = Scheduler([NORTH]), Scheduler([NORTH])
    for owner in ("alice", "bob", "carol"):
        old.ask(owner, wish(owner), NOW)
    granted(old)
    for lease in old.leases():
        new.restore(lease, Moment(5))
    assert new.assign() == []
    assert [new.position(owner) for owner in ("alice", "bob", "carol")] == [0, 1, 2]
    assert new.lease("alice").deadline_s == 65
    new.end("alice", State.RELEASED, "it was released", NOW)
    assert granted(new) == ["bob"]
    assert new.lease("bob").fence == 2


class Lab(RuleBasedStateMachine):
    """Whatever users, testers and time do."""

    places = (NORTH, SOUTH, Place("east", {"speed": "10G"}, "hall"), Place("west", {}, "hall"))
    owners = ("alice", "bob", "carol")

    def __init__(self) -> None:
        super().__init__()
        self.scheduler = Scheduler(self.places)
        self.now_s, self.asked, self.fences = 0.0, 0, [0]
        self.turns: dict[str, int] = {}  # by lease: how many turns it was behind when it was asked for
        self.overtaken: dict[
            str, dict[str, set[str]]
        ] = {}  # by lease: later ones of each user that came first

    @property
    def now(self) -> Moment:
        return Moment(self.now_s)

    def some(self, data: st.DataObject, *states: State) -> Lease:
        return data.draw(st.sampled_from(sorted(self.scheduler.leases(states), key=lambda x: x.number)))

    @rule(
        owner=st.sampled_from(owners),
        ttl_s=st.integers(1, 50),
        place=st.sampled_from(["", "north", "west"]),
        tags=st.sampled_from([{}, {"speed": "10G"}]),
    )
    def ask(self, owner: str, ttl_s: int, place: str, tags: Mapping[str, str]) -> None:
        if place and tags:
            return
        self.asked += 1
        lease = self.scheduler.ask(str(self.asked), Wish(owner, ttl_s, place, tags), self.now)
        self.turns[lease.id] = lease.turn - self.scheduler._turn
        self.overtaken[lease.id] = {}

    @rule()
    def assign(self) -> None:
        waited = list(self.scheduler.leases([State.WAITING]))
        for lease in self.scheduler.assign():
            assert lease.place in self.scheduler._places_of(lease.wish)
            assert lease.place not in self.scheduler.unfit
            assert lease.fence > self.fences[-1], "fences grow"
            self.fences.append(lease.fence)
            for other in waited:
                could = lease.place in self.scheduler._places_of(other.wish)
                if not could or self.scheduler.lease(other.id).state is not State.WAITING:
                    continue
                assert other.rank > lease.rank, "nobody is overtaken at a place that would do"
                if lease.number > other.number and lease.owner != other.owner:
                    late = self.overtaken[other.id].setdefault(lease.owner, set())
                    late.add(lease.id)  # again, if it was being checked when the service ended
                    assert len(late) <= self.turns[other.id], "each user once a turn, at most"

    @rule(data=st.data(), problem=st.sampled_from(["", "", "", "it does not answer"]))
    @precondition(lambda self: any(self.scheduler.leases([State.CHECKING])))
    def check(self, data: st.DataObject, problem: str) -> None:
        lease = self.some(data, State.CHECKING)
        after = self.scheduler.checked(lease.id, problem, self.now)
        assert after.rank == lease.rank
        assert (after.state is State.ACQUIRED) is (not problem)
        self.overtaken[lease.id].clear()

    @rule()
    def mend(self) -> None:
        self.scheduler.unfit.clear()

    @rule(data=st.data())
    @precondition(lambda self: any(self.scheduler.leases([State.WAITING, State.ACQUIRED])))
    def release(self, data: st.DataObject) -> None:
        lease = self.some(data, State.WAITING, State.ACQUIRED)
        self.scheduler.end(lease.id, State.RELEASED, "it was released", self.now)
        with pytest.raises(Ended):
            self.scheduler.renew(lease.id, self.now)

    @rule(data=st.data())
    @precondition(lambda self: any(self.scheduler.leases([State.WAITING, State.ACQUIRED])))
    def renew(self, data: st.DataObject) -> None:
        lease = self.some(data, State.WAITING, State.ACQUIRED)
        assert self.scheduler.renew(lease.id, self.now).deadline_s == self.now_s + lease.wish.ttl_s

    @rule(seconds=st.integers(1, 30))
    def pass_time(self, seconds: int) -> None:
        self.now_s += seconds
        for lease in self.scheduler.overdue(self.now):
            assert self.now_s >= lease.deadline_s
            self.scheduler.end(lease.id, State.EXPIRED, "its time is over", self.now)
        assert self.scheduler.overdue(self.now) == []

    @rule()
    def restart(self) -> None:
        fresh = Scheduler(self.places)
        over = [self.scheduler.lease(str(n)) for n in range(1, self.asked + 1)]
        for lease in over:
            fresh.restore(lease, self.now)
        assert fresh.last_fence <= self.scheduler.last_fence
        fresh.last_fence = self.scheduler.last_fence  # which is kept on its own
        fresh.unfit = dict(self.scheduler.unfit)
        self.scheduler = fresh

    @invariant()
    def one_user_has_a_place(self) -> None:
        groups: list[str] = []
        for lease in self.scheduler.leases([State.CHECKING, State.ACQUIRED]):
            groups.append(self.scheduler._group(lease.place))
            assert self.scheduler.holder(lease.place) == lease
        assert len(groups) == len(set(groups))


Lab.TestCase.settings = settings(max_examples=examples(40), stateful_step_count=40, deadline=None)
TestLab = Lab.TestCase


def test_users_who_always_ask_for_more_get_equally_many() -> None:
    scheduler = Scheduler([NORTH])
    many = Counter(alice=20, bob=10, carol=5)
    for owner, count in many.items():
        for number in range(count):
            scheduler.ask(f"{owner}{number}", wish(owner), NOW)
    order = []
    for _ in range(sum(many.values())):
        (lease,) = granted(scheduler)
        order.append(scheduler.lease(lease).owner)
        scheduler.end(lease, State.RELEASED, "it was released", NOW)
    for taken in range(1, 16):
        counts = Counter(order[:taken])
        assert max(counts.values()) - min(counts[owner] for owner in many) <= 1
    assert Counter(order[:20]) == {"alice": 8, "bob": 7, "carol": 5}


def test_a_user_who_comes_back_waits_behind_those_who_were_there() -> None:
    scheduler = Scheduler([NORTH])
    for owner in ("alice", "bob", "carol"):
        scheduler.ask(owner, wish(owner), NOW)
    granted(scheduler)
    scheduler.end("alice", State.RELEASED, "it was released", NOW)
    scheduler.ask("again", wish("alice"), NOW)
    assert granted(scheduler) == ["bob"]
    assert scheduler.position("again") == 2


def test_who_gave_up_waiting_keeps_his_turn() -> None:
    """Who tries again later, as he is told, waited behind as many wishes of another as he had given up."""
    scheduler = Scheduler([NORTH])
    scheduler.ask("held", wish("bob"), NOW)
    granted(scheduler)
    for _ in range(5):
        scheduler.ask("try", wish("alice"), NOW)
        scheduler.end("try", State.RELEASED, "it was released", NOW)
    for lease_id in ("1", "2"):
        scheduler.ask(lease_id, wish("carol"), NOW)
    scheduler.ask("a", wish("alice"), NOW)
    assert [scheduler.position(lease_id) for lease_id in ("1", "a", "2")] == [1, 2, 3]
