# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a group reaches ports that have not joined it: only members are to receive it (RFC 3918).

Frames that a device has cut or rewritten have no signature, so they are foreign at a port that is no member.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...measurement.multicast import Leak
from ...measurement.trial import Trial
from ...verdict import AT_MOST, Verdict, assess
from ..result import Result
from ..verdicts.judging import doubt_of, title_of
from ..verdicts.unsigned import unsigned
from .group_delay import GroupDelayResult


def multicast_leak(measured: Result) -> Verdict:
    """Judges that no frame arrived at a port that is no member, or at a member before it joined."""
    early = measured.early if isinstance(measured, GroupDelayResult) else 0
    return no_leak(measured.trials, early=early)


def no_leak(trials: Sequence[Trial], *, early: int = 0) -> Verdict:
    """Whether no frame arrived at a port that was not to receive it.

    FAIL if one did, whatever the tester fell short of: it cannot make frames arrive. INCONCLUSIVE where none
    did and members received none either, and where frames without a signature may be theirs.

    Args:
        trials: Those of the group.
        early: Frames that arrived at a member before it joined.
    """
    leak = Leak.of(trials)
    found = None if leak.frames is None else leak.frames + early
    doubt = ""
    if not found:
        doubt = doubt_of(trials)
        if leak.frames is None:
            doubt = "this tester does not count frames that arrive at other ports"
        elif not doubt and not any(trial.received for trial in trials):
            doubt = "no frame arrived at a member either"
        doubt = doubt or leak.doubt
        doubt = doubt or next(filter(None, (unsigned(trial, trial.elsewhere) for trial in trials)), "")
    places = [f"at {', '.join(leak.ports)}"] if leak.ports else []
    places += [f"{early:,} of them before the port joined"] if early else []
    return assess(
        found,
        AT_MOST,
        0,
        subject=f"frames of {title_of(trials)} at ports that are no members",
        measured=", ".join((f"{found or 0:,}", *places)),
        bound="none",
        doubt=doubt,
    )
