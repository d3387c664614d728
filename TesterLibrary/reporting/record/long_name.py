# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Long names of suites as Robot makes them: all names from the outermost suite on, with dots between.

A name may have dots itself, such as that of the testbed `router-v1.0`, so a long name alone does not say
where its parts end. Take off what is known; split only what people read.
"""

from __future__ import annotations

import re

_CONTINUED = re.compile(r"[^A-Z]|$")  # Robot begins the name of a file with a capital


def label(testbed: str, repetition: int) -> str:
    """The outermost suite of the tests on a testbed: `l2-bridge`, and `l2-bridge (2)` for the second time."""
    short = testbed.rpartition("/")[2]
    return short if repetition == 1 else f"{short} ({repetition})"


def below(suite: str, outer: str) -> str:
    """The long name within a suite around it; the whole one if that is not around it."""
    return suite.removeprefix(f"{outer}.")


def below_testbed(suite: str, testbed: str) -> str:
    """The long name within the label of its testbed: the same in all repetitions."""
    own = re.match(rf"{re.escape(label(testbed, 1))}( \(\d+\))?\.", suite)
    return suite[own.end() :] if own else suite.partition(".")[2]


def short_names_of(suite: str) -> list[str]:
    """The names in a long name, for people: what begins unlike a name of Robot's continues the one before."""
    names: list[str] = []
    for part in suite.split("."):
        if names and _CONTINUED.match(part):
            names[-1] += f".{part}"
        else:
            names.append(part)
    return names
