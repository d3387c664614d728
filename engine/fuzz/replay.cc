// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Runs a fuzz target over corpus files and over many mutations of them, for compilers without
// libFuzzer. Every run has the same inputs.
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kMutations = 2000;  // of all files
constexpr uint32_t kSeed = 1;

Bytes Mutate(Bytes bytes, std::mt19937& random) {
  const auto below = [&](size_t end) { return random() % std::max<size_t>(1, end); };
  for (size_t changes = 1 + below(8); changes > 0; --changes) {
    const auto at = static_cast<ptrdiff_t>(below(bytes.size()));
    switch (below(4)) {
      case 0:
        if (!bytes.empty()) bytes[static_cast<size_t>(at)] ^= static_cast<uint8_t>(1 << below(8));
        break;
      case 1:
        if (!bytes.empty()) bytes[static_cast<size_t>(at)] = static_cast<uint8_t>(random());
        break;
      case 2:
        bytes.insert(bytes.begin() + at, static_cast<uint8_t>(random()));
        break;
      default:
        bytes.resize(static_cast<size_t>(at));
    }
  }
  return bytes;
}

Bytes tried;

void Try(Bytes bytes) {
  tried = std::move(bytes);
  LLVMFuzzerTestOneInput(tried.data(), tried.size());
}

// A trap tells nothing; this is what goes into a test.
void PrintTried(int) {
  for (const uint8_t byte : tried) std::fprintf(stderr, "%02x", byte);
  std::fprintf(stderr, "\n");
  std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGILL, PrintTried);
  std::mt19937 random(kSeed);
  std::vector<std::filesystem::path> paths;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(file), {}};
    Try(bytes);
    for (size_t i = 0; i < kMutations / paths.size(); ++i) Try(Mutate(bytes, random));
  }
  std::printf("%zu files, %zu mutations\n", paths.size(), kMutations);
  return paths.empty() ? 1 : 0;
}
