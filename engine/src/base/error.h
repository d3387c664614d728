// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The exception for a request that is refused: gRPC's status code, and a sentence that says what is
// wrong, what is allowed and where.
#pragma once

#include <stdexcept>
#include <string>

namespace tester {

enum class Code {
  kInvalidArgument,
  kNotFound,
  kAlreadyExists,
  kFailedPrecondition,
  kResourceExhausted,
  kDeadlineExceeded,
  kAborted,
  kPermissionDenied,
  kInternal,
};

class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Code code() const { return code_; }

 private:
  Code code_;
};

}  // namespace tester
