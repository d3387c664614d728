# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A page that shows a run while it goes on: notes, a follower of the run's files, and a server."""
