# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`Verify …` keywords: a method judges a result against a bound, and the rest is the same for all of them.

    @keyword(tags=["verify"])
    @verifies(SoakResult, at_most, source="Measure Soak")
    def verify_exceed_probability_below(self, result: SoakResult, bound: Ratio) -> Verdict:
        \"\"\"Passes if …\"\"\"
        return result.verdict_below(bound)

The keyword has the arguments `bound`, `measured` and `within`. It finds the result, moves the bound by
`within`, records the verdict and documents the arguments.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any, Protocol, TypeVar, get_type_hints

from ..errors import TesterLibraryError
from ..measurement.trial import Trial
from ..methodology.result import Result
from ..methodology.traffic import result_of
from ..model.units.units import Ratio
from ..running.suite import Suite
from ..verdict import Verdict
from ._shared import show_signature
from ._tables import with_table

R = TypeVar("R", bound=Result)


class _Component(Protocol):
    """A keyword component around a suite."""

    _suite: Suite


Tolerance = Callable[[Callable[[Any], Verdict], Any, Ratio | None], Verdict]


def verifies(
    kind: type[Result] = Result,
    tolerance: Tolerance | None = None,
    *,
    source: str = "",
    before: str = "",
    only: bool = False,
) -> Callable[[Callable[..., Verdict]], Callable[..., Verdict]]:
    """Decorator of a method that judges a result.

    Args:
        kind: The class of the results that it judges.
        tolerance: `at_least` or `at_most`: the keyword has an argument `within`, and the method gets the
            moved bound. None: the keyword has no `within`.
        source: Names of the keywords that return such a result, with `or` between them; empty if a trial
            will do as well.
        before: The argument that follows `within`. By default `within` is the last one.
        only: The type of the argument `measured` is `kind`, not any trial or result.
    """

    def decorate(judge: Callable[..., Verdict]) -> Callable[..., Verdict]:
        signature = _signature(judge, (kind if only else Trial | Result) | None, tolerance, before)

        @functools.wraps(judge)
        def keyword(self: _Component, *args: object, **kwargs: object) -> Verdict:
            values = dict(signature.bind(self, *args, **kwargs).arguments)
            del values["self"]
            result = judged_as(self._suite, kind, values.pop("measured", None), source)
            within = values.pop("within", None)
            if tolerance is None:
                return self._suite.conclude(judge(self, result, **values))
            bound = values.pop("bound")
            return self._suite.conclude(
                tolerance(lambda moved: judge(self, result, bound=moved, **values), bound, within)
            )

        show_signature(keyword, signature)
        row = {"measured": f"{_described(source)}; by default the last one of the test"}
        keyword.__doc__ = with_table(inspect.getdoc(judge) or "", signature.parameters, row)
        return keyword

    return decorate


def judged_as(suite: Suite, kind: type[R], measured: Trial | Result | None, source: str) -> R:
    """The result to judge: the given one, or the last one of the test.

    Raises:
        TesterLibraryError: nothing was measured, or it is a result of another kind.
    """
    result = result_of(suite.judged(measured))
    if not isinstance(result, kind):
        raise TesterLibraryError(f"this is no result of {source}: {result}. Give one by measured=")
    return result


def _signature(
    judge: Callable[..., Verdict], measured: object, tolerance: Tolerance | None, before: str
) -> inspect.Signature:
    """The arguments of the keyword: those of the method without the result, with `measured` and `within`."""
    hints = get_type_hints(judge)
    holder, _, *own = inspect.signature(judge).parameters.values()
    parameters = [parameter.replace(annotation=hints[parameter.name]) for parameter in own]
    names = [parameter.name for parameter in parameters]
    place = names.index("bound") + 1 if "bound" in names else 0
    parameters.insert(place, _optional("measured", measured))
    if tolerance is not None:
        names = [parameter.name for parameter in parameters]
        place = names.index(before) if before else len(names)
        parameters.insert(place, _optional("within", Ratio | None))
    return inspect.Signature([holder, *parameters], return_annotation=Verdict)


def _optional(name: str, annotation: object) -> Parameter:
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=annotation)


def _described(source: str) -> str:
    if not source:
        return "a trial or a result"
    return f"a result of {' or '.join(f'`{name}`' for name in source.split(' or '))}"
