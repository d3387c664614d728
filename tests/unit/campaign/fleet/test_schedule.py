# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The order of a campaign: what is promised of it, for any testers, devices and faults."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.campaign.fleet.schedule import MOST_ATTEMPTS, Cell, Schedule

NOTHING: frozenset[str] = frozenset()
_TESTERS = ("t1", "t2", "t3", "t4")
_HELD = st.frozensets(st.sampled_from(["device a", "device b", "either a or b"]), max_size=2)


def cells(*places: dict[str, frozenset[str]]) -> list[Cell]:
    return [Cell(f"c{number}", each) for number, each in enumerate(places)]


def anywhere(count: int, *testers: str) -> list[Cell]:
    return cells(*[dict.fromkeys(testers, NOTHING)] * count)


@given(
    places=st.lists(st.dictionaries(st.sampled_from(_TESTERS), _HELD, min_size=1), min_size=1, max_size=12),
    data=st.data(),
)
def test_each_cell_ends_once_and_nothing_is_used_by_two_at_once(
    places: list[dict[str, frozenset[str]]], data: st.DataObject
) -> None:
    planned = cells(*places)
    by_name = {cell.name: cell for cell in planned}
    schedule = Schedule(planned)
    done: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    running: dict[str, str] = {}
    while not schedule.is_over:
        here = set(_TESTERS) - schedule.left.keys()
        wanted = schedule.wanted()
        started = schedule.starts()
        assert {tester for _, tester in started} <= set(wanted)
        assert started or running, "nothing is run, and nothing begins"
        for cell, tester in started:
            assert tester in by_name[cell].places
            assert tester in here
            assert cell not in running
            running[cell] = tester
        assert len(set(running.values())) == len(running), "two cells on a tester"
        held = [held for cell, tester in running.items() for held in by_name[cell].places[tester]]
        assert len(set(held)) == len(held), "two cells on a device"
        assert running == schedule.running
        cell = data.draw(st.sampled_from(sorted(running)))
        running.pop(cell)
        tried[cell] += 1
        if data.draw(st.booleans()):
            schedule.done(cell)
            done[cell] += 1
        else:
            schedule.fault(cell, "it broke")
    assert not running
    assert set(done.values()) <= {1}
    assert done.keys() | schedule.given_up.keys() == by_name.keys()
    assert not done.keys() & schedule.given_up.keys()
    assert max(tried.values()) <= MOST_ATTEMPTS


@given(count=st.integers(1, 20), testers=st.integers(1, 4))
def test_cells_begin_in_the_order_of_the_file(count: int, testers: int) -> None:
    schedule = Schedule(anywhere(count, *_TESTERS[:testers]))
    begun = []
    while not schedule.is_over:
        begun += [cell for cell, _ in schedule.starts()]
        schedule.done(begun[len(begun) - len(schedule.running)])
    assert begun == [f"c{number}" for number in range(count)]


def test_who_can_do_least_gets_a_cell_first() -> None:
    schedule = Schedule(cells({"all": NOTHING, "one": NOTHING}, {"all": NOTHING}))
    assert schedule.starts() == [("c0", "one"), ("c1", "all")]


def test_a_device_is_tested_by_one_tester_at_a_time() -> None:
    held = frozenset(["device fw"])
    schedule = Schedule(cells({"t1": held}, {"t2": held}, {"t2": NOTHING}))
    assert schedule.starts() == [("c0", "t1"), ("c2", "t2")]
    schedule.done("c2")
    assert schedule.starts() == []
    assert schedule.wanted() == []
    schedule.done("c0")
    assert schedule.starts() == [("c1", "t2")]


def test_what_a_tester_has_not_finished_is_run_elsewhere() -> None:
    schedule = Schedule(anywhere(1, "t1", "t2"))
    assert schedule.starts() == [("c0", "t1")]
    schedule.fault("c0", "no tester answers")
    assert schedule.starts(["t1"]) == []  # the other one has not tried it yet, and is only not there
    assert schedule.starts() == [("c0", "t2")]
    schedule.done("c0")
    assert schedule.is_over
    assert schedule.given_up == {}


def test_where_there_is_no_other_tester_the_same_one_tries_again() -> None:
    schedule = Schedule(anywhere(1, "t1"))
    for _ in range(MOST_ATTEMPTS):
        assert schedule.starts() == [("c0", "t1")]
        schedule.fault("c0", "the lease was lost")
    assert schedule.is_over
    assert schedule.given_up == {"c0": "it was tried 3 times; t1: the lease was lost"}


def test_a_tester_that_finishes_nothing_gets_no_more_cells() -> None:
    schedule = Schedule(anywhere(5, "dead"))
    tried = []
    while not schedule.is_over:
        ((cell, _),) = schedule.starts()
        tried.append(cell)
        schedule.fault(cell, "it is dead")
    assert tried == ["c0"] * 3 + ["c1"] * 3 + ["c2"]
    assert "did not finish 3 cells in a row" in schedule.left["dead"]
    assert schedule.given_up["c4"].startswith("no tester that could run it is left; dead: it did not finish")


def test_the_same_cell_again_and_again_does_not_damn_its_tester() -> None:
    schedule = Schedule(anywhere(2, "t1"))
    for _ in range(MOST_ATTEMPTS):
        schedule.starts()
        schedule.fault("c0", "the suite kills Robot")
    assert schedule.left == {}
    assert schedule.starts() == [("c1", "t1")]


def test_cells_of_a_tester_that_left_are_run_by_others_or_given_up() -> None:
    schedule = Schedule(cells({"t1": NOTHING, "t2": NOTHING}, {"t1": NOTHING}))
    schedule.leave("t1", "its machine has left the cluster")
    assert schedule.given_up == {
        "c1": "no tester that could run it is left; t1: its machine has left the cluster"
    }
    assert schedule.starts() == [("c0", "t2")]


def test_a_cell_that_is_skipped_is_not_run() -> None:
    schedule = Schedule(anywhere(2, "t1"))
    schedule.skip("c0")
    assert schedule.starts() == [("c1", "t1")]
