// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/status.h"

namespace tester {
namespace {

grpc::StatusCode CodeOf(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case Code::kNotFound:
      return grpc::StatusCode::NOT_FOUND;
    case Code::kAlreadyExists:
      return grpc::StatusCode::ALREADY_EXISTS;
    case Code::kFailedPrecondition:
      return grpc::StatusCode::FAILED_PRECONDITION;
    case Code::kResourceExhausted:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case Code::kDeadlineExceeded:
      return grpc::StatusCode::DEADLINE_EXCEEDED;
    case Code::kAborted:
      return grpc::StatusCode::ABORTED;
    case Code::kPermissionDenied:
      return grpc::StatusCode::PERMISSION_DENIED;
    case Code::kInternal:
      return grpc::StatusCode::INTERNAL;
  }
  return grpc::StatusCode::UNKNOWN;
}

}  // namespace

grpc::Status ToStatus(const Error& error) { return {CodeOf(error.code()), error.what()}; }

}  // namespace tester
