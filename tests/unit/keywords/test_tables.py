# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of arguments: rows of a keyword's own, and rows that many keywords share."""

from __future__ import annotations

import pytest

from TesterLibrary.keywords._tables import with_table

HEAD = "| =Argument= | =Meaning= |"
SHARED = {"within": "how much", "message": "the text"}


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("Passes.", f"Passes.\n\n{HEAD}\n| ``within`` | how much |\n"),
        (
            "Passes.\n\nMore.",
            f"Passes.\n\n{HEAD}\n| ``within`` | how much |\n\nMore.",
        ),
        (
            "Passes.\n\n| ``bound`` | the bound |\n\nMore.",
            f"Passes.\n\n{HEAD}\n| ``bound`` | the bound |\n| ``within`` | how much |\n\nMore.",
        ),
        (
            f"Passes.\n\n{HEAD}\n| ``within`` | my own |\n| ``bound`` | the bound |",
            f"Passes.\n\n{HEAD}\n| ``bound`` | the bound |\n| ``within`` | my own |",
        ),
        (
            "Passes.\n\n| ``bound``, ``within`` | both |\n| ``other`` | no argument |",
            f"Passes.\n\n{HEAD}\n| ``bound``, ``within`` | both |\n| ``other`` | no argument |",
        ),
    ],
)
def test_rows_stand_in_the_order_of_the_arguments(text: str, table: str) -> None:
    assert with_table(text, ["bound", "within"], SHARED) == table


def test_a_keyword_without_rows_stays_as_it_is() -> None:
    assert with_table("Closes.\n\n| `Close` |", [], SHARED) == "Closes.\n\n| `Close` |"
