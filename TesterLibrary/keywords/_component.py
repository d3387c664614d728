# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How a keyword component makes itself known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..running.suite import Suite

Component = TypeVar("Component", bound=Callable[[Suite], object])

registered: list[Callable[[Suite], object]] = []


def component(cls: Component) -> Component:
    """Class decorator: the library takes this component up."""
    registered.append(cls)
    return cls
