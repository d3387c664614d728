# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tester that a suite has open, and what runs on it: trials, traffic, captures, connections."""
