# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The values of many runs over time: their database, the judge of what changed, and their page."""
