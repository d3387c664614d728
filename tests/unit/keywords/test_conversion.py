# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of arguments and results make themselves known: no list names them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import pytest
from robot.api.deco import keyword
from robot.running.arguments.customconverters import CustomArgumentConverters

from TesterLibrary.keywords import CONVERTERS
from TesterLibrary.keywords._conversion import converters
from TesterLibrary.methodology.latency import LatencyResult
from TesterLibrary.methodology.result import Result
from TesterLibrary.model.units.notation import NOTATIONS, TEXT, written_as
from TesterLibrary.model.units.units import FrameSize, FrameSizes, Rate


class Colour(Enum):
    RED = 1


@dataclass(frozen=True)
class Paint(Result):
    """A result that nobody has heard of."""


for kind in (Colour, Paint):
    kind.__module__ = "TesterLibrary.paint"


class Painting:
    @keyword
    def measure_paint(self, rate: Rate | None, colour: Colour) -> Sequence[Paint] | None:
        """A keyword."""

    def helper(self) -> LatencyResult:
        """This is no keyword."""
        raise NotImplementedError


def test_a_result_is_known_by_the_keyword_that_returns_it() -> None:
    found = converters([Painting])
    assert set(found) - set(NOTATIONS) == {Paint}
    with pytest.raises(TypeError, match="'red' is no Paint; give what a keyword has returned"):
        found[Paint]("red")


def test_a_type_that_a_suite_writes_registers_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("TesterLibrary.keywords._conversion.NOTATIONS", registry := dict(NOTATIONS))
    monkeypatch.setattr("TesterLibrary.model.units.notation.NOTATIONS", registry)

    @written_as(TEXT)
    class Weight:
        """A weight: `3 kg`."""

        @classmethod
        def parse(cls, text: object) -> str:
            return f"{text} parsed"

    convert = converters([])[Weight]
    assert convert("3 kg") == "3 kg parsed"
    (known,) = CustomArgumentConverters.from_dict({Weight: convert})
    assert (known.value_types, known.doc) == ((str,), "A weight: `3 kg`.")


def test_derived_types_come_first_as_robot_takes_the_first_that_fits() -> None:
    order = list(CONVERTERS)
    assert order.index(FrameSize) < order.index(FrameSizes)
    assert order.index(LatencyResult) < order.index(Result)
    for number, kind in enumerate(order):
        assert not [later.__name__ for later in order[number + 1 :] if issubclass(later, kind)]
