# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The packet engine `testerd`: started on this machine or reached at an address."""
