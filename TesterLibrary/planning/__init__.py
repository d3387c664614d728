# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""From what the user wants to what a tester does: pure functions that refuse what cannot be done."""
