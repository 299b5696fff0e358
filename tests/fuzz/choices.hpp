// What fuzzers that make models have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "tessera/reference.hpp"

namespace tessera::test {

/// Choices from the fuzzer's bytes; zeros behind their end.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint32_t below(std::uint32_t count) {
    const std::uint32_t byte = at_ < size_ ? data_[at_] : 0;
    ++at_;
    return count == 0 ? 0 : byte % count;
  }
  bool flag() { return below(2) == 1; }
  bool one_in(std::uint32_t count) { return below(count) == count - 1; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

/// A model is refused in words, or it is a network: then it compiles to a program that the checker
/// takes, and the reference kernels run it. `only_read`: that takes thirty times as long.
template <class Import>
void read_and_run(Import import, bool only_read) {
  static const Hardware hardware = hardware_preset("tiny");
  for (const bool cut : {false, true}) {
    try {
      ImportOptions options;
      options.cut = cut;
      const Network network = import(options);
      if (only_read) {
        return;
      }
      std::vector<Bytes> inputs;
      std::uint64_t work = 0;
      for (const std::int32_t input : network.inputs) {
        inputs.emplace_back(network.tensors[static_cast<std::size_t>(input)].bytes(), 1);
      }
      for (const Tensor& tensor : network.tensors) {
        work += tensor.bytes();
      }
      for (const Operator& op : network.operators) {
        work += macs_of(network, op);
      }
      if (work > (1U << 20)) {
        continue;  // sizes alone: nothing new, and slow
      }
      run_reference(network, inputs);
      const Program program = compile(network, hardware, {});
      if (const auto problems = check_program(program); !problems.empty()) {
        std::fprintf(stderr, "%s\n", problems[0].c_str());
        std::abort();
      }
      return;
    } catch (const InputError&) {
      // A readable refusal is as good as a network.
    }
  }
}

}  // namespace tessera::test
