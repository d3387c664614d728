# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Pure functions that turn a user's job into a plan for a tester, or refuse what cannot be done."""
