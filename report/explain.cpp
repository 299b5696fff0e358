#include <fmt/format.h>

#include <algorithm>

#include "report/report.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

std::string explain_layer(const Program& program, const LayerRecord& record) {
  std::string text = fmt::format("{} ({})\n", record.name, record.op);
  if (record.no_copy) {
    return text + "  no copy: its output and inputs share their memory\n\n";
  }
  if (record.rides_on) {
    return text + fmt::format("  part of {}\n\n", program.layers[*record.rides_on].name);
  }
  if (!record.pass) {
    return text + fmt::format("  host: {}\n\n", record.host_reason);
  }
  const Explanation& explanation = record.pass->explanation;
  if (!program.made_for.empty()) {
    text += fmt::format("  decided for {}, which turned out better\n", program.made_for);
  }
  text += fmt::format("  bytes: total_cbuf {}, total_weight {}, min_weight {}, total_feature {}\n",
                      explanation.sizes.total_cbuf, explanation.sizes.total_weight,
                      explanation.sizes.min_weight, explanation.sizes.total_feature);
  for (const Inequality& line : explanation.trace) {
    text += fmt::format("  {:<9} {}: {}\n            {}\n", line.holds ? "holds" : "rejected",
                        line.rule, line.formula, line.numbers);
  }
  text += fmt::format("  => {}: {}\n", record.pass->long_name(), explanation.reason);
  if (record.stored_weight_bytes < record.weight_bytes) {
    text += fmt::format("  weights: {} bytes, compressed to {}\n", record.weight_bytes,
                        record.stored_weight_bytes);
  }
  if (record.passes > 1) {
    text += fmt::format("  the first of {} passes\n", record.passes);
  }
  for (const std::size_t rider : record.riders) {
    text += fmt::format("  with {} ({})\n", program.layers[rider].name, program.layers[rider].op);
  }
  return text + "\n";
}

}  // namespace

std::string explain(const Program& program, const std::string& layer) {
  std::string text;
  std::vector<std::string> names;
  for (const LayerRecord& record : program.layers) {
    names.push_back(record.name);
    if (layer.empty() || record.name == layer) {
      text += explain_layer(program, record);
    }
  }
  if (text.empty()) {
    throw InputError(fmt::format("no layer is named `{}`{}", layer, suggestion(layer, names)));
  }
  return text;
}

}  // namespace tessera
