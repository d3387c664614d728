# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The testbed of a run of `tester certify` or `tester run`: its suites open this one and no other."""

from __future__ import annotations

import os

from ..errors import TesterLibraryError, UnknownTestbed
from .load import find_testbed

VARIABLE = "TESTER_TESTBED"  # set for the Robot of a run; unset where `robot` is run by itself


def is_same_testbed(name: str, other: str) -> bool:
    """Whether two names or paths are those of one file. A name without a file is no testbed."""
    try:
        return find_testbed(name).resolve() == find_testbed(other).resolve()
    except UnknownTestbed:
        return False


def check_testbed_of_run(name: str) -> None:
    """TesterLibraryError if a suite opens another testbed than the run that it belongs to."""
    expected = os.environ.get(VARIABLE)
    if expected and not is_same_testbed(name, expected):
        raise TesterLibraryError(
            f"the suite opens the testbed {name}, and this run is on {expected}: its results would stand "
            "under the name of a device that was not tested. Write testbed=${TESTBED} where the suite "
            "imports TesterLibrary, and Use Testbed    ${TESTBED}"
        )
