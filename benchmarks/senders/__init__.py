# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs that send 64-byte frames as fast as they can: our engine and its peers. One file each."""
