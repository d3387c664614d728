// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0
// Precompiled for the server and its tests.
#include <grpcpp/grpcpp.h>

#include "tester/v1/control.grpc.pb.h"
