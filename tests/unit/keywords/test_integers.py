# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that Robot passes on unconverted, where an integer with a default is asked for."""

from __future__ import annotations

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.errors import UnitError


@pytest.mark.parametrize(
    ("keyword", "args", "kwargs", "name", "value"),
    [
        ("Find Throughput", [], {"repeat": 2.5}, "repeat", "2.5"),
        ("Measure Soak", ["north"], {"trials": 2.5}, "trials", "2.5"),
        ("Start Capture", [], {"frames": "100,000"}, "frames", "100,000"),
        ("Measure Connection Teardown Rate", ["users", 10, 1.5], {}, "repetitions", "1.5"),
    ],
)
def test_no_integer_is_refused_by_name(
    keyword: str, args: list[object], kwargs: dict[str, object], name: str, value: str
) -> None:
    library = TesterLibrary(testbed="simulated/breakpoint")
    python_name = keyword.replace(" ", "_").lower()
    with pytest.raises(UnitError, match=f"Argument {name!r} got value {value!r} that cannot be converted to"):
        library.run_keyword(python_name, args, kwargs)
