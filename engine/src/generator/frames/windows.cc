// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/windows.h"

#include <algorithm>
#include <cstring>

#include "wire/bytes.h"

namespace tester {
namespace {

TESTER_COLUMN_LOOP void SwapToBigEndian(size_t count, Column& words) {
  for (size_t i = 0; i < count; ++i) words[i] = wire::SwapToBigEndian(words[i]);
}

template <size_t kWindows>
void StoreAtOnce(const Window* windows, const Column* words, size_t count, uint8_t* const* frames) {
  std::array<size_t, kWindows> offsets;
  for (size_t w = 0; w < kWindows; ++w) offsets[w] = windows[w].offset;
  for (size_t i = 0; i < count; ++i) {
    uint8_t* const frame = frames[i];
    for (size_t w = 0; w < kWindows; ++w) {
      std::memcpy(frame + offsets[w], &words[w][i], Window::kBytes);
    }
  }
}

constexpr std::array kStores = {StoreAtOnce<1>, StoreAtOnce<2>, StoreAtOnce<3>, StoreAtOnce<4>};
static_assert(kStores.size() == kWindowsAtOnce);

}  // namespace

// A field that begins before the window loses its first bits in the shift; the window before has
// them. A field that ends behind the window is wholly in the next window, which is stored later.
void Window::Take(const Field& field, size_t column) {
  if (field.bit_end() <= 8 * offset || field.bit_end() > bit_end()) return;
  const auto shift = static_cast<uint32_t>(bit_end() - field.bit_end());
  bits |= field.mask() << shift;
  fields.push_back({.column = column, .shift = shift});
}

uint64_t Window::Unedited(const uint8_t* frame) const {
  return wire::Load64(frame + offset) & ~bits;
}

std::vector<Window> MakeWindows(std::span<const Field> fields, size_t bytes) {
  std::vector<Field> sorted(fields.begin(), fields.end());
  std::ranges::sort(sorted, {}, &Field::bit_offset);
  std::vector<Window> windows;
  for (const Field& field : sorted) {
    if (!windows.empty() && field.bit_end() <= windows.back().bit_end()) continue;
    const size_t first = field.bit_offset() / 8;
    windows.push_back({.offset = std::min(first, bytes - Window::kBytes), .bits = 0, .fields = {}});
  }
  for (Window& window : windows) {
    for (size_t i = 0; i < fields.size(); ++i) window.Take(fields[i], i);
  }
  return windows;
}

void StoreWindows(std::span<const Window> windows, Column* words, size_t count,
                  uint8_t* const* frames) {
  for (size_t w = 0; w < windows.size(); ++w) SwapToBigEndian(count, words[w]);
  kStores[windows.size() - 1](windows.data(), words, count, frames);
}

}  // namespace tester
