# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tester's part in every trial: a broken tester gives neither a pass nor a fail."""

from __future__ import annotations


class Validated:
    """A measurement. An invalid one says nothing about the device: `objections` tells why."""

    objections: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """Whether the tester did its part."""
        return not self.objections

    def marked(self, text: str) -> str:
        """The line of what was measured, with what makes it invalid."""
        return text if self.valid else f"{text} - INVALID: {'; '.join(self.objections)}"
