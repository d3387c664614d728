# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of keywords: names of arguments that do not exist, and calls from Python programs."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from robot.running import TypeInfo

from ..errors import TesterLibraryError, UnitError, closest, suggestion

_NO_SIGNS = frozenset({"tx", "rx", "port", "announce", "probe", "streams"})  # names, which have no `=`


def check_names(keyword: str, parameters: Sequence[str], arguments: Sequence[Any]) -> None:
    """Refuses `size=64` where a keyword has no argument `size`: Robot gives such a text to the next argument.

    Refused is what goes to a port or stream, and what looks like the name of one of the keyword's arguments.

    Args:
        keyword: As it is written.
        parameters: Its arguments, `*streams` among them.
        arguments: As they were given.

    Raises:
        TesterLibraryError: names the argument that was meant, and those that there are.
    """
    names = [name for name in parameters if not name.startswith("*")]
    places = list(takewhile(lambda name: not name.startswith("**"), parameters))
    for number, argument in enumerate(arguments):
        written = re.match(r"([a-z]\w*)=", argument) if isinstance(argument, str) else None
        if not written or written[1] in names:
            continue
        likely = _likely(written[1], names)
        before = places[: number + 1]
        place = next((name[1:] for name in before if name.startswith("*")), before[-1] if before else "")
        if likely or place in _NO_SIGNS:
            of = f"one of its {place}" if f"*{place}" in parameters else f"its {place!r}"
            raise TesterLibraryError(
                f"{keyword} has no argument {written[1]!r}, so {argument!r} would be {of}"
                f"{suggestion(likely)}; it has {', '.join(names)}"
            )


def _unknown(given: Iterable[str], parameters: Mapping[str, Any]) -> str:
    """A hint at what the first unknown argument of a keyword may mean; empty if it has them all."""
    for name in given:
        if name not in parameters:
            hint = suggestion(_likely(name, list(parameters)))
            return f"{hint}; it has {', '.join(parameters)}"
    return ""


def _likely(written: str, parameters: Sequence[str]) -> str | None:
    """The argument that a misspelt name means; None if no argument is like it."""
    words = (name for name in parameters if written in name.split("_"))
    joined = (name for name in parameters if written == name.replace("_", ""))
    return next(words, None) or next(joined, None) or closest(written, parameters)


def check_integers(
    hints: Mapping[str, Any], parameters: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """UnitError for an argument that is to be an integer and is none.

    Robot passes on what it cannot convert, such as `2.5` or `1,000`, where the argument has a default.
    """
    positional = takewhile(lambda name: not name.startswith("*"), parameters)
    for name, value in (*zip(positional, args, strict=False), *kwargs.items()):
        if hints.get(name) is int and not isinstance(value, int):
            raise UnitError(
                f"Argument {name!r} got value {str(value)!r} that cannot be converted to integer."
            )


def converting(
    name: str, method: Callable[..., Any], hints: Mapping[str, Any], converters: Mapping[type[Any], Any]
) -> Callable[..., Any]:
    """A keyword for Python programs: arguments are converted as Robot converts those of a suite."""
    signature = inspect.signature(method)
    types = {
        argument: TypeInfo.from_type_hint(hint) for argument, hint in hints.items() if argument != "return"
    }

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError as problem:
            raise TesterLibraryError(f"{name}: {problem}{_unknown(kwargs, signature.parameters)}") from None
        for argument, value in given.arguments.items():
            info = types.get(argument)
            if info is None or value is signature.parameters[argument].default:
                continue

            def converted(one: Any, info: TypeInfo = info, argument: str = argument) -> Any:
                try:
                    return info.convert(one, argument, dict(converters), allow_unknown=True)
                except (ValueError, TypeError) as problem:
                    raise UnitError(f"{name}: {problem}") from None

            kind = signature.parameters[argument].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                given.arguments[argument] = tuple(map(converted, value))
            elif kind is inspect.Parameter.VAR_KEYWORD:
                given.arguments[argument] = {key: converted(one) for key, one in value.items()}
            else:
                given.arguments[argument] = converted(value)
        return method(*given.args, **given.kwargs)

    return call
