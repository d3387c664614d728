// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A frame as its author wrote it, and the data needed to send it repeatedly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generator/frames/image.h"
#include "wire/bytes.h"
#include "wire/signature.h"

namespace tester {

struct Template {
  // Never 0, and unique in the process, so that a buffer's template is never mistaken for another
  // one.
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
