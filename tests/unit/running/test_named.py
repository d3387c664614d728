# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Things with a name, and the error for a name that is not there."""

from __future__ import annotations

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.running.named import Named
from TesterLibrary.running.scope import Scopes


def paths(*names: str) -> Named[str, int]:
    named = Named[str, int]("path", "Create Path")
    named.update((name, number) for number, name in enumerate(names))
    return named


@pytest.mark.parametrize(
    ("names", "name", "text"),
    [
        ((), "wan", "there is no path 'wan'; call Create Path first"),
        ((), None, "there is no path; call Create Path first"),
        (("lan",), "wan", "there is no path 'wan'; there is lan"),
        (("lan", "dmz"), "wan", "there is no path 'wan'; there are lan, dmz"),
        (("lan", "dmz"), None, "no path is named; there are lan, dmz"),
    ],
)
def test_the_error_names_what_there_is_and_what_to_do(
    names: tuple[str, ...], name: str | None, text: str
) -> None:
    with pytest.raises(TesterLibraryError) as problem:
        paths(*names).only(name)
    assert str(problem.value) == text


def test_the_only_one_needs_no_name() -> None:
    named = paths("wan")
    assert (named.only(), named.only("wan"), named["wan"]) == ("wan", "wan", 0)


def test_a_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(TesterLibraryError, match="there is no path 'lan'; there is wan"):
        paths("wan")["lan"]


def test_a_thing_ends_with_the_scope_in_which_it_began() -> None:
    scopes, named, ended = Scopes(), paths(), list[str]()

    def end(name: str) -> str:
        ended.append(name)
        return f"{name} was still there"

    scopes.enter(["s1", "s1-t1"])
    named.begin("wan", 1, scopes, end)
    assert (named["wan"], ended) == (1, [])
    assert scopes.enter(["s1"]) == ["wan was still there (the end of the test)"]
    assert ended == ["wan"]
