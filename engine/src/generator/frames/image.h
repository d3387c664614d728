// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The bytes of a frame that is written into many buffers. They are copied in whole blocks; the
// bytes behind a frame in its buffer are unused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/bytes.h"

namespace tester {

class Image {
 public:
  static constexpr size_t kBlock = 64;

  explicit Image(Frame frame);

  size_t bytes() const { return bytes_; }
  Frame frame() const { return {blocks_.front().data(), bytes_}; }

  // Copies into `count` buffers. Each has room for `bytes` up to the next multiple of kBlock.
  void CopyTo(uint8_t* const* buffers, size_t count) const;

 private:
  struct alignas(kBlock) Block : std::array<uint8_t, kBlock> {};

  size_t bytes_;
  std::vector<Block> blocks_;
};

}  // namespace tester
