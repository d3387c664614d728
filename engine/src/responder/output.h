// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Where frames are written to that a responder sends.
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

  // Room for the next frame, of as many bytes as a frame may have; null: there is none.
  virtual uint8_t* Begin() = 0;
  // It is there, without FCS.
  virtual void End(size_t bytes) = 0;
};

}  // namespace tester::machine
