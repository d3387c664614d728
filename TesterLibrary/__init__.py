# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot Framework keywords that certify network devices. `Library    TesterLibrary` in a suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .campaign.frame_sizes import FrameSizeTests as FrameSizeTests
    from .library import TesterLibrary as TesterLibrary
    from .reporting.record.inconclusive_fails import InconclusiveFails as InconclusiveFails

    __version__: str

__all__ = ["FrameSizeTests", "InconclusiveFails", "TesterLibrary", "__version__"]


def __getattr__(name: str) -> object:
    """The library class is imported when it is asked for: engine clients do without Robot."""
    if name == "TesterLibrary":
        from .library import TesterLibrary

        return TesterLibrary
    if name == "__version__":
        from .library import VERSION

        return VERSION
    if name == "FrameSizeTests":
        from .campaign.frame_sizes import FrameSizeTests

        return FrameSizeTests
    if name == "InconclusiveFails":
        from .reporting.record.inconclusive_fails import InconclusiveFails

        return InconclusiveFails
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
