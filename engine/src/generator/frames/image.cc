// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/image.h"

#include <cstring>

#include "generator/frames/column.h"

namespace tester {
namespace {

TESTER_COLUMN_LOOP void CopyBlocks(const uint8_t* from, size_t bytes, uint8_t* const* buffers,
                                   size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint8_t* const to = buffers[i];
    for (size_t at = 0; at < bytes; at += Image::kBlock) {
      std::memcpy(to + at, from + at, Image::kBlock);
    }
  }
}

}  // namespace

Image::Image(Frame frame) : bytes_(frame.size()), blocks_(frame.size() / kBlock + 1) {
  if (!frame.empty()) std::memcpy(blocks_.data(), frame.data(), frame.size());
}

void Image::CopyTo(uint8_t* const* buffers, size_t count) const {
  CopyBlocks(blocks_.front().data(), bytes_, buffers, count);
}

}  // namespace tester
