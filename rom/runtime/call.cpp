#include "rom/runtime/call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace tessera::runtime {

Call::Call(const Network& network, const Operator& op, Places places, CText& text)
    : network_(network), op_(op), places_(std::move(places)), text_(text) {
  text_.use_scratch(places_.scratch);
}

const Tensor& Call::in(std::size_t i) const {
  return network_.tensors[static_cast<std::size_t>(op_.inputs[i])];
}

const Tensor& Call::out() const {
  return network_.tensors[static_cast<std::size_t>(op_.output)];
}

std::string Call::data(std::size_t i) {
  if (!has(i)) {
    return "(const uint8_t *)0";
  }
  return places_.inputs[i].empty() ? text_.bytes(in(i).constant) : places_.inputs[i];
}

std::string Call::scratch(std::uint64_t bytes) {
  const std::string at = fmt::format("{} + {}", kScratch, places_.scratch);
  places_.scratch += bytes;
  text_.use_scratch(places_.scratch);
  return at;
}

std::string Call::found(std::uint64_t bytes) {
  leaves_ = places_.found ? *places_.found : places_.scratch;
  text_.use_scratch(*leaves_ + bytes);
  return fmt::format("{} + {}", kScratch, *leaves_);
}

void Call::run(const std::string& file, const std::string& function,
               const std::vector<std::string>& arguments) {
  text_.need(file);
  statements_ += fmt::format("  tessera_{}({});\n", function, fmt::join(arguments, ", "));
}

void Call::run_checked(const std::string& file, const std::string& function,
                       const std::vector<std::string>& arguments) {
  text_.need(file);
  statements_ += fmt::format("  if (tessera_{}({}) != 0) {{\n    return 1;\n  }}\n", function,
                             fmt::join(arguments, ", "));
  can_fail_ = true;
}

std::string Call::loops(const std::vector<Loop>& loops, std::array<std::int64_t, 3> start) {
  constexpr std::size_t kMostLoops = 12;  // rom/kernels/loops.h
  const std::vector<Loop> all = merged(loops);
  if (all.size() > kMostLoops) {
    throw NoKernel(fmt::format("it has more than {} dimensions", kMostLoops));
  }
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const Loop& loop : all) {
    texts.push_back(fmt::format("{{{}, {{{}, {}, {}}}}}", loop.count, loop.step[0], loop.step[1],
                                loop.step[2]));
  }
  return fmt::format("{{{}, {}, {{{}, {}, {}}}}}", all.size(),
                     text_.array("struct tessera_loop", texts), start[0], start[1], start[2]);
}

std::vector<Loop> merged(const std::vector<Loop>& loops) {
  std::vector<Loop> result;
  for (const Loop& loop : loops) {
    if (loop.count == 1) {
      continue;
    }
    bool joins = !result.empty();
    for (std::size_t k = 0; joins && k < 3; ++k) {
      joins = result.back().step[k] == loop.step[k] * loop.count;
    }
    if (joins) {
      result.back().count *= loop.count;
      result.back().step = loop.step;
    } else {
      result.push_back(loop);
    }
  }
  if (result.empty()) {
    result.emplace_back();
  }
  return result;
}

std::vector<Loop> loops_over(const std::vector<std::int32_t>& shape,
                             const std::vector<std::vector<std::int64_t>>& strides) {
  std::vector<Loop> loops(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    loops[d].count = shape[d];
    for (std::size_t k = 0; k < strides.size(); ++k) {
      loops[d].step[k] = strides[k][d];
    }
  }
  return loops;
}

std::vector<std::int64_t> strides_of(const std::vector<std::int32_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

std::string c_factor(FixedPoint factor) {
  return fmt::format("{{{}, {}}}", factor.multiplier, factor.shift);
}

std::string c_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::Twice:
      return "TESSERA_TWICE";
    case Rounding::HalfUp:
      return "TESSERA_HALF_UP";
    case Rounding::HalfEven:
      return "TESSERA_HALF_EVEN";
  }
  return "";
}

std::string c_type(DataType type) {
  switch (type) {
    case DataType::Int8:
      return "i8";
    case DataType::Int16:
      return "i16";
    case DataType::Int32:
      return "i32";
    case DataType::Float32:
      return "f32";
    case DataType::Int64:
      return "i64";
    case DataType::Bool:
      return "b8";
  }
  return "";
}

}  // namespace tessera::runtime
