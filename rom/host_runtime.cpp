#include "rom/host_runtime.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "rom/runtime/host_texts.hpp"
#include "rom/runtime/kernels.hpp"
#include "rom/runtime/operator_code.hpp"

namespace tessera::rom {
namespace {

class RuntimeWriter {
 public:
  explicit RuntimeWriter(const Image& image) : image_(image), program_(image.program) {}

  HostRuntime write() {
    text_.need("elements.h");
    const std::string steps = infer();
    HostRuntime result;
    result.missing = missing_;
    result.header = header();
    const std::uint64_t scratch = text_.scratch_bytes();
    result.source = fmt::format("/* {}: what the processor computes beside the accelerator. */\n",
                                runtime::commented(program_.network)) +
                    "#include \"tessera_host.h\"\n";
    for (const std::string& layer : missing_) {
      result.source += fmt::format("#error \"{}\"\n", layer);
    }
    result.source += runtime::kernel_sources(text_.kernels());
    if (!text_.definitions().empty()) {
      result.source += "\n/* Parameters and constants of this network. */\n" + text_.definitions();
    }
    if (scratch != 0) {
      result.source +=
          fmt::format("\nstatic uint8_t {}[TESSERA_HOST_SCRATCH_BYTES];\n", runtime::kScratch);
    }
    result.source += runtime::kSlots + layers_ + reset() + steps;
    return result;
  }

 private:
  [[nodiscard]] std::string memory(const Slot& slot) const {
    return fmt::format("TESSERA_MEMORY({:#x}u)", image_.on_bus(slot.address));
  }

  static std::string join(const std::string& from, const Slot& slot, const std::string& to) {
    return fmt::format("  tessera_join({}, {}, {}, {}, {});\n", from, slot.segment_bytes,
                       slot.stride, slot.bytes, to);
  }

  static std::string copy(const std::string& from, std::uint64_t bytes, const std::string& to) {
    return fmt::format("  tessera_copy({}, {}, {});\n", from, to, bytes);
  }

  [[nodiscard]] std::string header() const {
    std::string text = fmt::format("/* {}: a whole inference, beside the accelerator. */\n",
                                   runtime::commented(program_.network)) +
                       runtime::kMacros;
    text += fmt::format(
        "/* Static memory that the operators need besides constants. There is no heap, and no "
        "recursion;\n * on a Cortex-M4 they take at most 512 bytes of stack, without the "
        "libraries. */\n#define TESSERA_HOST_SCRATCH_BYTES {}u\n",
        text_.scratch_bytes());
    text += fmt::format(
        "/* Whether tessera_host.c needs the mathematical library (-lm). Products and sums of "
        "floats must\n * be rounded one by one: with gcc, -std=c99 or -ffp-contract=off. */\n"
        "#define TESSERA_HOST_NEEDS_LIBM {}\n",
        runtime::need_library(text_.kernels()) ? 1 : 0);
    return text + runtime::kDeclarations;
  }

  // Whether the kernel cannot read an input where it is, as it writes there.
  static bool overlap(const HostCall& call, std::size_t i) {
    const Slot& in = *call.inputs[i];
    const bool meet = in.address < call.output.address + call.output.bytes &&
                      call.output.address < in.address + in.bytes;
    const bool same_begin = in.address == call.output.address;
    return meet &&
           !(same_begin && runtime::works_in_place(call.kernel, call.kernel.operators[0], i));
  }

  static std::string scratch_at(const runtime::Places& places) {
    return fmt::format("{} + {}", runtime::kScratch, places.scratch);
  }

  // Whether it asks for another part of what the operator before has found.
  bool follows(const HostCall& call) const {
    const auto same = [](const std::optional<Slot>& a, const std::optional<Slot>& b) {
      return a.has_value() == b.has_value() && (!a || a->address == b->address);
    };
    const auto same_constant = [](const Tensor& a, const Tensor& b) {
      return a.constant == b.constant;
    };
    return before_ != nullptr && found_ &&
           runtime::find_the_same(before_->kernel.operators[0], call.kernel.operators[0]) &&
           std::equal(before_->inputs.begin(), before_->inputs.end(), call.inputs.begin(),
                      call.inputs.end(), same) &&
           std::equal(before_->kernel.tensors.begin(), before_->kernel.tensors.end() - 1,
                      call.kernel.tensors.begin(), call.kernel.tensors.end() - 1, same_constant);
  }

  // A layer as a function, and the statement that calls it.
  std::string layer(const HostCall& call) {
    const Operator& op = call.kernel.operators[0];
    runtime::Places places;
    const bool follows_before = follows(call);
    if (follows_before) {
      places.found = found_;
    }
    places.output = memory(call.output);
    std::string copies;
    std::string back;
    std::uint64_t overlapping = 0;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const bool overlaps = !follows_before && call.inputs[i] &&
                            call.inputs[i]->segment_bytes == 0 && overlap(call, i);
      overlapping += overlaps ? call.inputs[i]->bytes : 0;
    }
    // What is smaller is copied: the inputs where the output is to be, or the output.
    const bool copies_output = overlapping > call.output.bytes;
    if (copies_output) {
      places.output = scratch_at(places);
      back = copy(places.output, call.output.bytes, memory(call.output));
      places.scratch += call.output.bytes;
    }
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      if (!call.inputs[i]) {
        places.inputs.emplace_back();
        continue;
      }
      const Slot& slot = *call.inputs[i];
      places.inputs.push_back(memory(slot));
      if (!follows_before && (slot.segment_bytes != 0 || (!copies_output && overlap(call, i)))) {
        const std::string room = scratch_at(places);
        copies += slot.segment_bytes != 0 ? join(memory(slot), slot, room)
                                          : copy(memory(slot), slot.bytes, room);
        places.scratch += slot.bytes;
        places.inputs.back() = room;
      }
    }
    runtime::OperatorCode code = runtime::code_of(call.kernel, op, places, text_);
    if (call.output.segment_bytes != 0) {
      code.missing = "its output lies in segments";
    }
    before_ = &call;
    found_ = code.found;
    const LayerRecord& record = program_.layers[call.layer];
    const std::string name =
        fmt::format("{} {}", runtime::commented(record.op), runtime::commented(record.name));
    if (!code.missing.empty()) {
      missing_.push_back(fmt::format("the C runtime lacks {} (layer {}): {}", name, call.layer,
                                     runtime::commented(code.missing)));
      return "";
    }
    layers_ += fmt::format("\n/* {} */\nstatic {} tessera_layer{}(void) {{\n{}{}{}{}}}\n", name,
                           code.can_fail ? "int" : "void", call.layer, copies, code.statements,
                           back, code.can_fail ? "  return 0;\n" : "");
    const std::string statement = fmt::format("tessera_layer{}()", call.layer);
    return code.can_fail
               ? fmt::format("  if ({} != 0) {{\n    return TESSERA_BAD_INDEX;\n  }}\n", statement)
               : fmt::format("  {};\n", statement);
  }

  static std::string execute(std::size_t run) {
    return fmt::format(
        "  result = tessera_execute(base, {}u, polls);\n  if (result != TESSERA_DONE) {{\n    "
        "return result;\n  }}\n",
        run);
  }

  [[nodiscard]] std::string exchange(std::size_t step) const {
    std::string text;
    for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
      if (program_.output_steps[i] == step) {
        const Slot& slot = program_.outputs[i];
        const std::string to = fmt::format("(uint8_t *)outputs[{}]", i);
        text += slot.segment_bytes != 0 ? join(memory(slot), slot, to)
                                        : copy(memory(slot), slot.bytes, to);
      }
    }
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      if (program_.input_steps[i] == step) {
        text += copy(fmt::format("(const uint8_t *)inputs[{}]", i), program_.inputs[i].bytes,
                     memory(program_.inputs[i]));
      }
    }
    return text;
  }

  [[nodiscard]] std::string reset() const {
    const bool resets = image_.runs.front().reset;
    return fmt::format(
        "\nenum tessera_result tessera_reset(void *base, uint32_t polls) {{\n"
        "  const enum tessera_result result = tessera_probe(base);\n{}}}\n",
        resets ? "  return result == TESSERA_DONE ? tessera_execute(base, 0u, polls) : result;\n"
               : "  (void)polls;\n  return result;\n");
  }

  std::string infer() {
    std::string text =
        "\nenum tessera_result tessera_infer(void *base, const void *const *inputs, void *const "
        "*outputs,\n                                  uint32_t polls) {\n"
        "  enum tessera_result result = tessera_probe(base);\n"
        "  (void)inputs;\n"
        "  if (result != TESSERA_DONE) {\n    return result;\n  }\n";
    std::size_t run = image_.runs.front().reset ? 1 : 0;
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      text += exchange(s);
      if (const auto* call = std::get_if<HostCall>(&program_.steps[s]); call != nullptr) {
        text += layer(*call);
      } else if (std::holds_alternative<CommandRun>(program_.steps[s])) {
        text += execute(run++);
        before_ = nullptr;
      }
    }
    return text + exchange(program_.steps.size()) + "  return result;\n}\n";
  }

  const Image& image_;
  const Program& program_;
  runtime::CText text_;
  std::string layers_;
  std::vector<std::string> missing_;
  const HostCall* before_ = nullptr;  // the operator just before, with no run in between
  std::optional<std::uint64_t> found_;
};

}  // namespace

HostRuntime host_runtime(const Image& image) {
  return RuntimeWriter(image).write();
}

}  // namespace tessera::rom
