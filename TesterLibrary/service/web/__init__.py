# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""HTTP of every server of the library: who is let in, how long is waited, and tables of routes."""
