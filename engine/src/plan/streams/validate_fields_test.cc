// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/streams/validate_fields.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace tester {
namespace {

FramesPlan Contents() {
  FramesPlan plan;
  plan.signature = true;
  plan.frames = {std::vector<uint8_t>(60)};
  return plan;
}

v1::Stream Stream() {
  v1::Stream stream;
  stream.set_signature(true);
  auto& field = *stream.add_expected_fields();
  field.set_name("IP.ttl == sent - 1");
  field.set_bit_offset(176);
  field.set_bits(8);
  field.set_comparison(v1::ExpectedField::COMPARISON_EQUAL);
  field.mutable_sent()->set_difference(-1);
  return stream;
}

TEST(ValidateFields, TakesWhatIsRight) {
  const auto fields = ValidateFields(Stream(), Contents(), "stream 1");
  ASSERT_EQ(fields->expectations().size(), 1U);
  const FieldExpectation& expected = fields->expectations().front();
  EXPECT_EQ(expected.name, "IP.ttl == sent - 1");
  EXPECT_EQ(expected.field, Field(176, 8));
  EXPECT_TRUE(expected.relation.of_sent);
  EXPECT_EQ(expected.relation.difference, -1);
  EXPECT_EQ(ValidateFields(v1::Stream(), Contents(), ""), nullptr);
}

struct Refused {
  std::function<void(v1::Stream&, FramesPlan&)> change;
  std::vector<std::string> words;
};

TEST(ValidateFields, RefusesWhatCannotBeCompared) {
  const auto field = [](v1::Stream& stream) { return stream.mutable_expected_fields(0); };
  const std::vector<Refused> all = {
      {[](auto& stream, auto&) { stream.set_signature(false); }, {"without signature"}},
      {[](auto& stream, auto&) {
         for (int i = 0; i < 8; ++i) *stream.add_expected_fields() = stream.expected_fields(0);
       },
       {"9 expected fields", "at most 8"}},
      {[](auto& stream, auto&) { *stream.add_expected_fields() = stream.expected_fields(0); },
       {"another one has this name"}},
      {[&](auto& stream, auto&) { field(stream)->clear_name(); }, {"a name of 0 bytes"}},
      {[&](auto& stream, auto&) { field(stream)->set_bits(49); }, {"49 bits", "1 to 48"}},
      {[&](auto& stream, auto&) { field(stream)->set_bit_offset(345); },
       {"bits 345 to 352", "bits 0 to 351"}},
      {[&](auto& stream, auto&) { field(stream)->set_bit_offset(UINT32_MAX); }, {"bits 0 to 351"}},
      {[&](auto& stream, auto&) { field(stream)->clear_comparison(); }, {"comparison 0"}},
      {[&](auto& stream, auto&) { field(stream)->mutable_sent()->set_difference(256); },
       {"a difference of 256", "-255 to 255"}},
      {[&](auto& stream, auto&) { field(stream)->mutable_sent()->add_rewritten()->set_sent(256); },
       {"the value 256", "255"}},
      {[&](auto& stream, auto&) {
         for (int i = 0; i < 2; ++i) field(stream)->mutable_sent()->add_rewritten()->set_sent(7);
       },
       {"7 is rewritten twice"}},
      {[&](auto& stream, auto&) { field(stream)->clear_sent(); }, {"0 values", "1 to 256"}},
      {[&](auto& stream, auto&) {
         field(stream)->set_comparison(v1::ExpectedField::COMPARISON_LESS);
         for (int i = 0; i < 2; ++i) field(stream)->mutable_values()->add_values(7);
       },
       {"2 values", "one can be compared with"}},
      {[](auto&, auto& contents) {
         contents.version = VersionPlan{.field = {180, 1}, .coverage = {}};
       },
       {"shares bits with the version"}},
      {[](auto&, auto& contents) {
         contents.checksums = {
             {.kind = Checksum::Kind::kInternet, .offset = 21, .begin = 0, .tail = 0}};
       },
       {"shares bits with a checksum"}},
  };
  for (const Refused& refused : all) {
    v1::Stream stream = Stream();
    FramesPlan contents = Contents();
    refused.change(stream, contents);
    try {
      ValidateFields(stream, contents, "stream 1");
      ADD_FAILURE() << refused.words.front();
    } catch (const Error& error) {
      for (const std::string& word : refused.words) {
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace tester
