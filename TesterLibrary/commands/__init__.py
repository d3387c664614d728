# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `tester`: a file for each subcommand, which registers itself."""
