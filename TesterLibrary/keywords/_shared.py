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
from collections.abc import Callable, Collection
from dataclasses import MISSING, Field, fields
from inspect import Parameter
from typing import Any, get_type_hints

from ._tables import with_table


def shares(shared: type[Any], *, before: str, without: Collection[str] = ()) -> Callable[..., Any]:
    """Decorator of a keyword whose first parameter is an instance of `shared`.

    Arguments that the keyword alone has stand before the shared one that `before` names; those that have to
    be given stand behind the first shared one. `without` names shared ones that the keyword does not have:
    it gets their defaults. Documentation in the keyword's own table wins over the shared one.
    """
    arguments = [argument for argument in fields(shared) if argument.name not in without]
    names = {argument.name for argument in fields(shared)}
    if not {before, *without} <= names:
        raise TypeError(f"{shared.__name__} has no {', '.join({before, *without} - names)}")

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        hints = {**get_type_hints(shared), **get_type_hints(method)}
        documented = get_type_hints(shared, include_extras=True)
        holder, _, *own = inspect.signature(method).parameters.values()
        typed = (
            parameter.replace(annotation=hints.get(parameter.name, Parameter.empty))
            for parameter in (holder, *_ordered(arguments, own, before))
        )
        signature = inspect.Signature([*typed], return_annotation=hints["return"])

        @functools.wraps(method)
        def keyword(self: Any, *args: Any, **kwargs: Any) -> Any:
            values = signature.bind(self, *args, **kwargs).arguments
            common = {field.name: values[field.name] for field in arguments if field.name in values}
            more = {parameter.name: values[parameter.name] for parameter in own if parameter.name in values}
            for parameter in own:
                if parameter.kind is Parameter.VAR_KEYWORD:
                    more |= more.pop(parameter.name, {})
            return method(self, shared(**common), **more)

        show_signature(keyword, signature)
        texts = {field.name: documented[field.name].__metadata__[0] for field in arguments}
        keyword.__doc__ = with_table(inspect.getdoc(method) or "", signature.parameters, texts)
        return keyword

    return decorate


def show_signature(keyword: Callable[..., object], signature: inspect.Signature) -> None:
    """Gives a wrapper the arguments of a signature, in place of those of the method that it wraps."""
    del keyword.__dict__["__wrapped__"]  # Robot would look at the method's own arguments
    keyword.__signature__ = signature  # type: ignore[attr-defined]
    _, *arguments = signature.parameters.values()
    keyword.__annotations__ = {argument.name: argument.annotation for argument in arguments}
    keyword.__annotations__["return"] = signature.return_annotation


def _ordered(arguments: list[Field[object]], own: list[Parameter], before: str) -> list[Parameter]:
    """The shared arguments with the keyword's own ones among them."""
    named = [p for p in own if p.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)]
    required = [p for p in own if p not in named and p.default is Parameter.empty]
    ordered: list[Parameter] = []
    for number, argument in enumerate(arguments):
        if argument.name == before:
            ordered += [p for p in own if p not in named and p.default is not Parameter.empty]
        default = Parameter.empty if argument.default is MISSING else argument.default
        ordered.append(Parameter(argument.name, Parameter.POSITIONAL_OR_KEYWORD, default=default))
        if number == 0:
            ordered += required
    return [*ordered, *named]
