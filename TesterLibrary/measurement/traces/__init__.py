# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""TCP and RoCEv2 in the trace of a path. Pure functions of the recorded packets."""
