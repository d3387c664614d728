# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The connection to a switch: its daemon, program, tables and ports."""
