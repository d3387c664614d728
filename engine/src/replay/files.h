// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The capture files that clients name, and where they may be.
#pragma once

#include <sys/stat.h>

#include <fstream>
#include <optional>
#include <string>

namespace tester {

// Allows capture files in this folder only; links and `..` cannot leave it. Without a name no file
// is allowed. Without this call every folder is allowed. Called before clients are served.
// INVALID_ARGUMENT: the folder does not exist.
void LimitCaptureFiles(const std::string& folder);

// The folder of capture files, for the message that a file was not found; empty without a limit.
std::string CaptureFilesLimit();

// A file that cannot be read, or is no file, is not open: a pipe may never end, nor even begin.
std::ifstream OpenCapture(const std::string& path);

// The status of the file that OpenCapture would open; empty where it would open none.
std::optional<struct stat> StatCapture(const std::string& path);

}  // namespace tester
