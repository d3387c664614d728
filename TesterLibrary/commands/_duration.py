# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A time on the command line, such as `10 s`."""

from __future__ import annotations

import argparse

from ..errors import UnitError
from ..model.units.units import Duration


def duration(text: str) -> Duration:
    """The time, for argparse, which says what is wrong with another text."""
    try:
        return Duration.parse(text)
    except UnitError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
