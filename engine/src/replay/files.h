// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The capture files that clients name, and where they may be.
#pragma once

#include <sys/stat.h>

#include <fstream>
#include <optional>
#include <string>

namespace tester {

// Has files opened below this folder only, whatever links or `..` a path has; with no name, none at
// all. Without this call they may be anywhere. Called before clients are served. INVALID_ARGUMENT:
// there is no such folder.
void LimitCaptureFiles(const std::string& folder);

// Where files may be, for the message that one was not found; empty if anywhere.
std::string CaptureFilesLimit();

// A file that cannot be read, or is no file, is not open: a pipe may never end, nor even begin.
std::ifstream OpenCapture(const std::string& path);

// The status of the file that OpenCapture would open; empty where it would open none.
std::optional<struct stat> StatCapture(const std::string& path);

}  // namespace tester
