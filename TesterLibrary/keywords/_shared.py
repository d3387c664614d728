# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that several keywords share: their names, order, types, defaults and documentation in one class.

The class is a frozen dataclass with a field for each argument:

    @dataclass(frozen=True, kw_only=True)
    class ClientArguments:
        name: Annotated[str, "what the other keywords call them"]
        port: Annotated[str, "the port of the tester"] = "p1"

A keyword takes an instance of it first, then the arguments that it alone has:

    @shares(ClientArguments, before="port")
    def start_http_clients(self, shared: ClientArguments, requests: int = 1) -> str:

Robot, Libdoc and Python programs see one flat list of arguments, in which `requests` stands before `port`.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, fields
from inspect import Parameter
from typing import Any, get_type_hints

_ROW = re.compile(r"^\| ``(\w+)`` \| .* \|$")
_HEAD = "| =Argument= | =Meaning= |"


def shares(shared: type[Any], *, before: str, without: Collection[str] = ()) -> Callable[..., Any]:
    """Decorator of a keyword whose first parameter is an instance of `shared`.

    Arguments that the keyword alone has stand before the shared one that `before` names; those that have to
    be given stand behind the first shared one. `without` names shared ones that the keyword does not have:
    it gets their defaults. Documentation in the keyword's own table wins over the shared one.
    """
    taken = [one for one in fields(shared) if one.name not in without]
    known = {one.name for one in fields(shared)}
    if not {before, *without} <= known:
        raise TypeError(f"{shared.__name__} has no {', '.join({before, *without} - known)}")

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        hints = {**get_type_hints(shared), **get_type_hints(method)}
        documented = get_type_hints(shared, include_extras=True)
        holder, _, *others = inspect.signature(method).parameters.values()
        typed = (
            one.replace(annotation=hints.get(one.name, Parameter.empty))
            for one in (holder, *_ordered(taken, others, before))
        )
        signature = inspect.Signature([*typed], return_annotation=hints["return"])

        @functools.wraps(method)
        def keyword(self: Any, *args: Any, **kwargs: Any) -> Any:
            given = signature.bind(self, *args, **kwargs).arguments
            values = {one.name: given[one.name] for one in taken if one.name in given}
            rest = {one.name: given[one.name] for one in others if one.name in given}
            for one in others:
                if one.kind is Parameter.VAR_KEYWORD:
                    rest |= rest.pop(one.name, {})
            return method(self, shared(**values), **rest)

        del keyword.__dict__["__wrapped__"]  # Robot would look at the method's own arguments
        keyword.__signature__ = signature  # type: ignore[attr-defined]
        keyword.__annotations__ = {
            name: hint for name, hint in hints.items() if name in {*signature.parameters, "return"}
        }
        texts = {one.name: documented[one.name].__metadata__[0] for one in taken}
        keyword.__doc__ = _documentation(method, signature, texts)
        return keyword

    return decorate


def _ordered(taken: list[Field[Any]], others: list[Parameter], before: str) -> list[Parameter]:
    """The shared arguments with the others among them."""
    required = [
        one for one in others if one.default is Parameter.empty and one.kind is not Parameter.VAR_KEYWORD
    ]
    ordered: list[Parameter] = []
    for number, one in enumerate(taken):
        if one.name == before:
            ordered += [other for other in others if other.default is not Parameter.empty]
        default = Parameter.empty if one.default is MISSING else one.default
        ordered.append(Parameter(one.name, Parameter.POSITIONAL_OR_KEYWORD, default=default))
        if number == 0:
            ordered += required
    return [*ordered, *(other for other in others if other.kind is Parameter.VAR_KEYWORD)]


def _documentation(method: Callable[..., Any], signature: inspect.Signature, texts: Mapping[str, str]) -> str:
    """The keyword's documentation, whose table has the shared arguments as well."""
    lines = (inspect.getdoc(method) or "").split("\n")
    rows = {name: f"| ``{name}`` | {text} |" for name, text in texts.items()}
    written = [line for line in lines if _ROW.match(line)]
    rows |= {_ROW.sub(r"\1", line): line for line in written}
    table = [rows[name] for name in signature.parameters if name in rows]
    rest = [line for line in lines if line not in written]
    at = rest.index(_HEAD) + 1
    return "\n".join([*rest[:at], *table, *rest[at:]])
