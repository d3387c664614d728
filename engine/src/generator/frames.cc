// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames.h"

#include <algorithm>

#include "wire/signature.h"

namespace tester {

Frames::Frames(const StreamPlan& plan) {
  templates_.push_back(MakeTemplate(plan.frame, plan.signature, plan.id));
}

void Frames::Choose(Cursor&, const Run& run, const Template** chosen) const {
  std::fill_n(chosen, run.count, templates_.data());
}

void Frames::Write(Cursor&, const Run& run, uint8_t* const* frames) const {
  const Template& model = templates_.front();
  if (!model.signature) return;
  const wire::SignatureWriter writer(model.signature_id, model.signature_sum, run.now_ns);
  const size_t offset = model.SignatureOffset();
  for (uint16_t i = 0; i < run.count; ++i) writer.Write(frames[i] + offset, run.sequence + i);
}

}  // namespace tester
