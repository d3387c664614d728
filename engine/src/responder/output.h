// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The destination of frames that a responder writes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tester::machine {

class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  virtual ~Output() = default;

  // Room for the next frame, up to the longest one; null: no room.
  virtual uint8_t* Begin() = 0;
  // It is there, without FCS.
  virtual void End(size_t bytes) = 0;
};

}  // namespace tester::machine
