// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A frame as its author wrote it, and what has to be known to send it again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generator/frames/image.h"
#include "wire/bytes.h"
#include "wire/signature.h"

namespace tester {

struct Template {
  // Never 0 and never the same for two templates of a process, so a buffer that remembers it can
  // not be mistaken for one that holds another frame.
  uint64_t key;
  Image image;
  bool signature;
  uint16_t signature_id;
  uint16_t signature_sum;          // of the last 16 bytes, see wire::SignatureSum
  std::vector<uint64_t> unedited;  // see Edits::Unedited; empty without editors

  size_t SignatureOffset() const { return image.bytes() - wire::kSignatureBytes; }
};

Template MakeTemplate(Frame frame, bool signature, uint16_t stream_id);

}  // namespace tester
