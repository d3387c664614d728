# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tester's part in every trial: a broken tester gives neither a pass nor a fail."""

from __future__ import annotations


class Validated:
    """A measurement. An invalid one says nothing about the device: `objections` tells why."""

    objections: tuple[str, ...]
    earlier_attempts: tuple[
        str, ...
    ] = ()  # of measurements that are no trials of streams: why each was invalid

    @property
    def valid(self) -> bool:
        """Whether the tester did its part."""
        return not self.objections

    def marked(self, text: str) -> str:
        """The line of what was measured, with what makes it, or an attempt before it, invalid."""
        text = "; ".join((text, *self.earlier_attempts))
        return text if self.valid else f"{text} - INVALID: {'; '.join(self.objections)}"
