// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Errors as gRPC says them.
#pragma once

#include <grpcpp/support/status.h>

#include "base/error.h"

namespace tester {

grpc::Status ToStatus(const Error& error);

}  // namespace tester
