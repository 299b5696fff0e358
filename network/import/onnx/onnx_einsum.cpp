// Einsum of two values, where it is a product of matrices.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {
namespace {

using Labels = std::string;

struct Equation {
  Labels a, b, out;
};

// "bhid,bhjd->bhij". Without an arrow the output has the labels that stand once, in their order.
std::optional<Equation> equation_of(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t comma = text.find(',');
  const std::size_t arrow = text.find("->");
  if (comma == std::string::npos || text.find(',', comma + 1) != std::string::npos) {
    return std::nullopt;
  }
  Equation e{text.substr(0, comma), text.substr(comma + 1, arrow - std::min(arrow, comma + 1)), ""};
  if (arrow == std::string::npos) {
    e.b = text.substr(comma + 1);
    std::map<char, int> counts;
    for (const char c : e.a + e.b) {
      ++counts[c];
    }
    for (const auto& [label, count] : counts) {
      e.out += count == 1 ? Labels(1, label) : "";
    }
  } else {
    e.out = text.substr(arrow + 2);
  }
  for (Labels labels : {e.a, e.b, e.out}) {
    std::sort(labels.begin(), labels.end());
    const bool twice = std::adjacent_find(labels.begin(), labels.end()) != labels.end();
    if (twice || !std::all_of(labels.begin(), labels.end(),
                              [](unsigned char c) { return std::isalpha(c) != 0; })) {
      return std::nullopt;
    }
  }
  return e;
}

bool has(const Labels& labels, char label) {
  return labels.find(label) != Labels::npos;
}

// Those of `labels` that are in or not in the others.
Labels those(const Labels& labels, const Labels& in, bool wanted) {
  Labels found;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(found),
               [&](char c) { return has(in, c) == wanted; });
  return found;
}

}  // namespace

void OnnxImporter::einsum(const Node& node) {
  const std::string text = OnnxAttributes(node).text("equation", "");
  const auto equation = equation_of(text);
  require(node.input_size() == 2 && equation.has_value(),
          fmt::format("`{}`: supported are products of two values without ellipses", text));
  const Equation& e = *equation;
  const Labels batches = those(those(e.out, e.a, true), e.b, true);
  const Labels rows = those(those(e.out, e.a, true), e.b, false);
  const Labels cols = those(those(e.out, e.b, true), e.a, false);
  const Labels sums = those(those(e.a, e.b, true), e.out, false);
  require(
      batches.size() + rows.size() + sums.size() == e.a.size() &&
          batches.size() + cols.size() + sums.size() == e.b.size() &&
          batches.size() + rows.size() + cols.size() == e.out.size() && !sums.empty(),
      fmt::format("`{}`: each label must be in two of the three, one of them summed over", text));
  require(!is_known(name_of(node, 0)) && !is_known(name_of(node, 1)),
          "supported is two computed values; write a product with constants as MatMul");
  std::map<char, std::int64_t> extents;
  const auto learn = [&](const Labels& labels, const Dims& dims) {
    require(labels.size() == dims.size(),
            fmt::format("`{}`: `{}` for {} dimensions", text, labels, dims.size()));
    for (std::size_t d = 0; d < labels.size(); ++d) {
      const auto [known, is_new] = extents.emplace(labels[d], dims[d]);
      require(is_new || known->second == dims[d],
              fmt::format("`{}`: `{}` is {} and {}", text, labels[d], known->second, dims[d]));
    }
  };
  Factors factors = factors_of(node);
  learn(e.a, factors.a.dims);
  learn(e.b, factors.b.dims);
  const auto product = [&](const Labels& labels) {
    std::int64_t count = 1;
    for (const char c : labels) {
      count *= extents[c];
    }
    return count;
  };
  const auto dims_of = [&](const Labels& labels) {
    Dims dims;
    for (const char c : labels) {
      dims.push_back(extents[c]);
    }
    return dims;
  };
  // In the order of `wanted`, then as a stack of matrices.
  const auto matrices = [&](const OnnxValue& v, const Labels& own, const Labels& first,
                            const Labels& second, const char* suffix) {
    Dims perm;
    Labels wanted = batches;
    wanted.append(first).append(second);
    for (const char c : wanted) {
      perm.push_back(static_cast<std::int64_t>(own.find(c)));
    }
    const OnnxValue stored = plain(permuted(v, perm));
    Dims dims = dims_of(batches);
    dims.push_back(product(first));
    dims.push_back(product(second));
    const Order order = plain_order(dims.size());
    return OnnxValue{moved(stored, stored_shape(dims, order), Reshape{}, suffix), dims, order};
  };
  factors.a = matrices(factors.a, e.a, rows, sums, "/a");
  factors.b = matrices(factors.b, e.b, sums, cols, "/b");
  const OnnxValue out = product_of(factors, false);
  Labels own = batches;
  own.append(rows).append(cols);
  const Dims dims = dims_of(own);
  const Order order = plain_order(dims.size());
  const OnnxValue whole{moved(out, stored_shape(dims, order), Reshape{}, "/whole"), dims, order};
  Dims perm;
  for (const char c : e.out) {
    perm.push_back(static_cast<std::int64_t>(own.find(c)));
  }
  finish_product(node, factors, permuted(whole, perm));
}

}  // namespace tessera
