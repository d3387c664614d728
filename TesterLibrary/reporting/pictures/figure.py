# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A picture with its title."""

from __future__ import annotations

from dataclasses import dataclass

MOST_PLOTS = 10  # of one test, of each origin


@dataclass(frozen=True)
class Figure:
    """A plot; `text` says the same for those who cannot see it."""

    title: str
    source: str  # an address with the picture in it; empty if there is nothing to be seen
    text: str
