# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams that load the device while multicast is measured (RFC 3918 §8): what verdicts say of them."""

from __future__ import annotations

from collections.abc import Sequence

from ...measurement.trial import Trial
from ..verdicts.judging import doubt_of, lost_text, title_of


def burden_doubt(burden: Sequence[Trial]) -> str:
    """Why the device was not loaded as intended; empty if it was, or was not to be."""
    doubt = doubt_of(burden) if burden else ""
    return f"of the burden, {doubt}" if doubt else ""


def burden_text(burden: Sequence[Trial]) -> str:
    """The burden in words, with what of it was lost; empty if there was none."""
    if not burden:
        return ""
    lost = "" if all(trial.lost == 0 for trial in burden) else f", of which {lost_text(burden)}"
    return f" beside {title_of(burden)}{lost}"
