#include "scheduler/check/decode.hpp"

#include <fmt/format.h>

namespace tessera::checker {
namespace {

struct Applier {
  Op& state;
  bool operator()(const isa::End&) const { return false; }
  bool operator()(const isa::LdSource& c) const { return configure(state.source, c); }
  bool operator()(const isa::LdShape& c) const { return configure(state.load_shape, c); }
  bool operator()(const isa::LdStride& c) const { return configure(state.load_stride, c); }
  bool operator()(const isa::LdFold& c) const { return configure(state.fold, c); }
  bool operator()(const isa::LdCode& c) const { return configure(state.code, c); }
  bool operator()(const isa::LdFactor& c) const { return configure(state.factor, c); }
  bool operator()(const isa::Load& c) const {
    state.load = c;
    state.waits = {false, c.wait_compute != 0, c.wait_store != 0};
    state.posts = {false, c.post_compute != 0, false};
    return true;
  }
  bool operator()(const isa::CvInput& c) const { return configure(state.input, c); }
  bool operator()(const isa::CvKernel& c) const { return configure(state.kernel, c); }
  bool operator()(const isa::CvTile& c) const { return configure(state.tile, c); }
  bool operator()(const isa::CvWeights& c) const { return configure(state.weights, c); }
  bool operator()(const isa::CvWindow& c) const { return configure(state.window, c); }
  bool operator()(const isa::CvRing& c) const { return configure(state.ring, c); }
  bool operator()(const isa::Conv& c) const { return convolve(c, false); }
  bool operator()(const isa::Depthwise& c) const {
    state.resume = c.resume != 0;
    state.first_byte = c.first_byte;
    return convolve(
        {c.origin, c.acc_base, c.accumulate, c.wait_load, c.wait_store, c.post_load, c.post_store},
        true);
  }
  [[nodiscard]] bool convolve(const isa::Conv& c, bool depthwise) const {
    state.conv = c;
    state.depthwise = depthwise;
    state.waits = {c.wait_load != 0, false, c.wait_store != 0};
    state.posts = {c.post_load != 0, false, c.post_store != 0};
    return true;
  }
  bool operator()(const isa::StAddress& c) const { return configure(state.address, c); }
  bool operator()(const isa::StShape& c) const { return configure(state.store_shape, c); }
  bool operator()(const isa::StStride& c) const { return configure(state.store_stride, c); }
  bool operator()(const isa::StQuant& c) const { return configure(state.quant, c); }
  bool operator()(const isa::StTile& c) const { return configure(state.store_tile, c); }
  bool operator()(const isa::StPost& c) const {
    state.softmax.reset();
    return configure(state.post, c);
  }
  bool operator()(const isa::StSoftmax& c) const {
    state.softmax = c;
    state.post = {};
    return false;
  }
  bool operator()(const isa::StResult& c) const { return configure(state.result, c); }
  bool operator()(const isa::StKeep& c) const { return configure(state.keep, c); }
  bool operator()(const isa::Store& c) const {
    state.store = c;
    state.waits = {false, c.wait_compute != 0, false};
    state.posts = {c.post_load != 0, c.post_compute != 0, false};
    return true;
  }
  bool operator()(const isa::LdMark& c) const { return mark(c.id); }
  bool operator()(const isa::CvMark& c) const { return mark(c.id); }
  bool operator()(const isa::StMark& c) const { return mark(c.id); }
  template <class T>
  bool configure(T& field, const T& command) const {
    field = command;
    state.configured |= std::uint64_t{1} << static_cast<unsigned>(T::kOpcode);
    return false;
  }
  [[nodiscard]] bool mark(std::uint32_t id) const {
    state.is_mark = true;
    state.mark = id;
    state.waits = {};
    state.posts = {};
    return true;
  }
};

}  // namespace

DecodedStream decode(const std::vector<std::uint64_t>& words) {
  DecodedStream stream;
  for (std::size_t i = 0; i < words.size(); ++i) {
    isa::Decoded decoded = isa::decode(words[i]);
    if (!decoded.command) {
      stream.problems.push_back(fmt::format("word {}: {}", i, decoded.problem));
      return stream;
    }
    stream.commands.push_back(*decoded.command);
    const bool is_end = std::holds_alternative<isa::End>(stream.commands.back());
    if (is_end != (i + 1 == words.size())) {
      stream.problems.push_back(fmt::format("word {}: END must be the last word and only that", i));
      return stream;
    }
  }
  if (words.empty()) {
    stream.problems.emplace_back("the stream is empty");
  }
  return stream;
}

bool apply(const isa::Command& command, Op& state) {
  return std::visit(Applier{state}, command);
}

}  // namespace tessera::checker
