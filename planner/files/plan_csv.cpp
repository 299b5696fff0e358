// Problems, plans and operator graphs as tables.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>

#include "tessera/error.hpp"
#include "tessera/operator_graph.hpp"

namespace tessera {
namespace {

struct Line {
  std::string where;  ///< "file:line: "
  std::vector<std::string> cells;
};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string::npos
             ? ""
             : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<Line> lines_of(const std::string& text, const std::string& name) {
  std::vector<Line> lines;
  std::istringstream in(text);
  std::size_t number = 0;
  for (std::string row; std::getline(in, row);) {
    ++number;
    if (trimmed(row).empty()) {
      continue;
    }
    Line line{fmt::format("{}:{}: ", name, number), {}};
    std::size_t begin = 0;
    for (std::size_t comma = row.find(','); comma != std::string::npos;
         comma = row.find(',', begin)) {
      line.cells.push_back(trimmed(row.substr(begin, comma - begin)));
      begin = comma + 1;
    }
    line.cells.push_back(trimmed(row.substr(begin)));
    lines.push_back(std::move(line));
  }
  if (lines.empty()) {
    throw InputError(name + ": empty; a header line is expected");
  }
  return lines;
}

constexpr std::uint64_t kMost = std::uint64_t{1} << 40;

std::uint64_t number(const Line& line, std::size_t column, const char* what) {
  const std::string& cell = line.cells[column];
  const bool digits = !cell.empty() && cell.size() <= 13 &&
                      cell.find_first_not_of("0123456789") == std::string::npos;
  const std::uint64_t value = digits ? std::stoull(cell) : kMost + 1;
  if (value > kMost) {
    throw InputError(fmt::format("{}{} is `{}`; allowed is a whole number up to {}", line.where,
                                 what, cell, kMost));
  }
  return value;
}

std::size_t column_of(const Line& header, const std::string& name) {
  const auto found = std::find(header.cells.begin(), header.cells.end(), name);
  return static_cast<std::size_t>(found - header.cells.begin());
}

std::vector<std::size_t> need_columns(const Line& header, const std::vector<std::string>& names) {
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    columns.push_back(column_of(header, name));
    if (columns.back() == header.cells.size()) {
      throw InputError(
          fmt::format("{}no column `{}`{}", header.where, name, suggestion(name, header.cells)));
    }
  }
  return columns;
}

void need_cells(const Line& line, const Line& header) {
  if (line.cells.size() != header.cells.size()) {
    throw InputError(fmt::format("{}{} columns, the header has {}", line.where, line.cells.size(),
                                 header.cells.size()));
  }
}

Sharing sharing_of(const std::string& op) {
  std::string plain;
  for (const char c : op) {
    if (c != '_') {
      plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
  }
  const auto is = [&](std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), plain) != names.end();
  };
  if (is({"relu", "relu6", "add", "flatten", "sub", "mul", "leakyrelu", "logistic", "sigmoid",
          "tanh", "hardswish", "quantize"})) {
    return Sharing::ElementWise;
  }
  if (is({"split", "reshape", "squeeze", "expanddims", "identity"})) {
    return Sharing::Removable;
  }
  return is({"concat", "concatenation", "concatv2"}) ? Sharing::Merging : Sharing::Kept;
}

}  // namespace

AllocationProblem read_problem_csv(const std::string& text, const std::string& name,
                                   std::vector<std::uint64_t>* offsets) {
  const std::vector<Line> lines = lines_of(text, name);
  const Line& header = lines[0];
  const auto columns = need_columns(header, {"id", "lower", "upper", "size"});
  const std::size_t offset = column_of(header, "offset");
  AllocationProblem problem;
  std::map<std::string, std::string> seen;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Line& line = lines[i];
    need_cells(line, header);
    Buffer buffer;
    buffer.id = line.cells[columns[0]];
    buffer.lower = static_cast<std::int64_t>(number(line, columns[1], "lower"));
    buffer.upper = static_cast<std::int64_t>(number(line, columns[2], "upper"));
    buffer.size = number(line, columns[3], "size");
    if (buffer.lower >= buffer.upper) {
      throw InputError(fmt::format("{}buffer {} ends at {}, not after its begin at {}", line.where,
                                   buffer.id, buffer.upper, buffer.lower));
    }
    if (const auto [at, fresh] = seen.emplace(buffer.id, line.where); !fresh) {
      throw InputError(fmt::format("{}buffer {} was there before, at {}", line.where, buffer.id,
                                   at->second.substr(0, at->second.size() - 2)));
    }
    if (offsets != nullptr && offset != header.cells.size()) {
      offsets->push_back(number(line, offset, "offset"));
    }
    problem.buffers.push_back(std::move(buffer));
  }
  return problem;
}

std::string write_plan_csv(const AllocationProblem& problem,
                           const std::vector<std::uint64_t>& offsets) {
  std::string text = "id,lower,upper,size,offset\n";
  for (std::size_t b = 0; b < offsets.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    std::string id = buffer.id;
    std::replace(id.begin(), id.end(), ',', ';');
    text +=
        fmt::format("{},{},{},{},{}\n", id, buffer.lower, buffer.upper, buffer.size, offsets[b]);
  }
  return text;
}

OperatorGraph read_graph_csv(const std::string& text, const std::string& name,
                             std::uint64_t bytes_per_element) {
  const std::vector<Line> lines = lines_of(text, name);
  const Line& header = lines[0];
  const auto columns = need_columns(header, {"id", "op", "output_elements", "inputs"});
  OperatorGraph graph;
  graph.name = name;
  std::map<std::string, std::uint32_t> index;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Line& line = lines[i];
    need_cells(line, header);
    GraphNode node;
    node.id = line.cells[columns[0]];
    node.op = line.cells[columns[1]];
    node.sharing = sharing_of(node.op);
    node.bytes = number(line, columns[2], "output_elements") * bytes_per_element;
    std::istringstream inputs(line.cells[columns[3]]);
    for (std::string input; inputs >> input;) {
      const auto found = index.find(input);
      if (found == index.end()) {
        throw InputError(fmt::format("{}operator {} reads `{}`, which is in no line before it",
                                     line.where, node.id, input));
      }
      if (std::find(node.inputs.begin(), node.inputs.end(), found->second) == node.inputs.end()) {
        node.inputs.push_back(found->second);
      }
    }
    if (!index.emplace(node.id, static_cast<std::uint32_t>(graph.nodes.size())).second) {
      throw InputError(fmt::format("{}operator {} appears twice", line.where, node.id));
    }
    graph.nodes.push_back(std::move(node));
  }
  if (graph.nodes.empty()) {
    throw InputError(name + ": no operators");
  }
  return graph;
}

}  // namespace tessera
