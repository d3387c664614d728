// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/template.h"

#include <atomic>

namespace tester {

Template MakeTemplate(Frame frame, bool signature, uint16_t stream_id) {
  static std::atomic<uint64_t> last_key{0};
  Template made{.key = ++last_key,
                .image = Image(frame),
                .signature = signature,
                .signature_id = stream_id,
                .signature_sum = 0,
                .unedited = {}};
  if (signature)
    made.signature_sum = wire::SignatureSum(made.image.frame().data() + made.SignatureOffset());
  return made;
}

}  // namespace tester
