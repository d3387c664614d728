# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that keywords share: one place for their order, defaults and documentation."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import Annotated, Any

import pytest

from TesterLibrary.keywords._shared import shares
from TesterLibrary.keywords.connections.clients import ClientArguments, ClientSide
from TesterLibrary.keywords.connections.responder import ResponderArguments, Responders


@dataclass(frozen=True, kw_only=True)
class Shared:
    name: Annotated[str, "its name"]
    size: Annotated[int, "its size"] = 1
    speed: Annotated[int, "its speed"] = 2
    vlan: Annotated[int | None, "its tag"] = None


class Cars:
    @shares(Shared, before="vlan", without=("speed",))
    def start_car(self, shared: Shared, wheel: str, doors: int = 4, **more: Any) -> tuple[Any, ...]:
        """Starts a car.

        | =Argument= | =Meaning= |
        | ``size`` | the car's size |
        | ``wheel`` | its wheel |
        | ``doors`` | its doors |
        | ``more`` | what else it has |

        It drives.
        """
        return shared, wheel, doors, more


def test_robot_sees_one_list_of_arguments() -> None:
    assert str(inspect.signature(Cars().start_car)) == (
        "(name: str, wheel: str, size: int = 1, doors: int = 4, vlan: int | None = None, **more: Any)"
        " -> tuple[typing.Any, ...]"
    )
    assert Cars.start_car.__annotations__["vlan"] == int | None
    assert "speed" not in Cars.start_car.__annotations__


def test_the_keyword_gets_the_shared_arguments_together() -> None:
    cars = Cars()
    assert cars.start_car("a", "left") == (Shared(name="a"), "left", 4, {})
    assert cars.start_car("a", "left", 9, vlan=7, roof=0) == (
        Shared(name="a", size=9, vlan=7),
        "left",
        4,
        {"roof": 0},
    )
    with pytest.raises(TypeError, match="wheel"):
        cars.start_car("a")
    assert cars.start_car("a", "left", speed=3)[3] == {"speed": 3}  # it is no argument of this keyword


def test_its_table_has_all_of_them_and_its_own_text_wins() -> None:
    assert (inspect.getdoc(Cars.start_car) or "").split("\n") == [
        "Starts a car.",
        "",
        "| =Argument= | =Meaning= |",
        "| ``name`` | its name |",
        "| ``wheel`` | its wheel |",
        "| ``size`` | the car's size |",
        "| ``doors`` | its doors |",
        "| ``vlan`` | its tag |",
        "| ``more`` | what else it has |",
        "",
        "It drives.",
    ]


def test_a_name_that_nobody_shares_is_refused() -> None:
    with pytest.raises(TypeError, match="Shared has no colour"):
        shares(Shared, before="colour")


@pytest.mark.parametrize(
    ("component", "shared", "count"), [(ClientSide, ClientArguments, 5), (Responders, ResponderArguments, 6)]
)
def test_all_keywords_that_start_an_end_share_their_arguments(
    component: Any, shared: Any, count: int
) -> None:
    starts = [method for name, method in vars(component).items() if name.startswith("start_")]
    assert len(starts) == count
    order = [one.name for one in fields(shared)]
    for start in starts:
        names = [name for name in inspect.signature(start).parameters if name in order]
        assert names == [name for name in order if name in names], start
        assert {"name", "port", "vlan"} <= set(names)
