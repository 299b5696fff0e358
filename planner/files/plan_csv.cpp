// Problems, plans and operator graphs as tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "input/csv_table.hpp"
#include "tessera/error.hpp"
#include "tessera/operator_graph.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostAlignment = 4096;

std::uint64_t number(const CsvLine& line, std::size_t column, const char* what) {
  return csv_number(line, column, what, 0, kMost);
}

std::size_t column_of(const CsvLine& header, const std::string& name) {
  const auto found = std::find(header.cells.begin(), header.cells.end(), name);
  return static_cast<std::size_t>(found - header.cells.begin());
}

std::vector<std::size_t> need_columns(const CsvLine& header,
                                      const std::vector<std::string>& names) {
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

void need_cells(const CsvLine& line, const CsvLine& header) {
  if (line.cells.size() != header.cells.size()) {
    throw InputError(fmt::format("{}{} columns, the header has {}", line.where, line.cells.size(),
                                 header.cells.size()));
  }
}

// What is not known is not read, and must not be taken for read.
void refuse_others(const CsvLine& header, const std::vector<std::string>& known) {
  for (std::size_t i = 0; i < header.cells.size(); ++i) {
    const std::string& cell = header.cells[i];
    if (std::find(known.begin(), known.end(), cell) == known.end()) {
      throw InputError(fmt::format("{}column {} is `{}`{}; allowed are {}", header.where, i + 1,
                                   cell, suggestion(cell, known), fmt::join(known, ", ")));
    }
    if (column_of(header, cell) != i) {
      throw InputError(fmt::format("{}column `{}` is there twice", header.where, cell));
    }
  }
}

void refuse_gaps(const CsvLine& line, const CsvLine& header) {
  const std::size_t column = column_of(header, "gaps");
  if (column != header.cells.size() && !line.cells[column].empty()) {
    throw InputError(
        fmt::format("{}gaps is `{}`; allowed is an empty cell: a buffer is alive from "
                    "lower to upper",
                    line.where, line.cells[column]));
  }
}

// One for all buffers, so that a plan that is said to be the lowest is.
void read_alignment(const CsvLine& line, const CsvLine& header, AllocationProblem& problem) {
  const std::size_t column = column_of(header, "alignment");
  if (column == header.cells.size()) {
    return;
  }
  const std::uint64_t alignment = csv_number(line, column, "alignment", 1, kMostAlignment);
  if (!problem.buffers.empty() && alignment != problem.alignment) {
    throw InputError(
        fmt::format("{}alignment is {}, above it is {}; allowed is one for all buffers", line.where,
                    alignment, problem.alignment));
  }
  problem.alignment = alignment;
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
  const CsvTable table = read_csv(text, name);
  const CsvLine& header = table.header;
  const auto columns = need_columns(header, {"id", "lower", "upper", "size"});
  refuse_others(header, {"id", "lower", "upper", "size", "alignment", "gaps", "offset"});
  const std::size_t offset = column_of(header, "offset");
  AllocationProblem problem;
  std::map<std::string, std::string> seen;
  for (const CsvLine& line : table.lines) {
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
    if (offset != header.cells.size()) {
      if (offsets == nullptr) {
        throw InputError(
            fmt::format("{}column `offset` holds a plan; allowed are problems", header.where));
      }
      offsets->push_back(number(line, offset, "offset"));
    }
    refuse_gaps(line, header);
    read_alignment(line, header, problem);
    problem.buffers.push_back(std::move(buffer));
  }
  return problem;
}

std::string write_plan_csv(const AllocationProblem& problem,
                           const std::vector<std::uint64_t>& offsets) {
  std::string text = "id,lower,upper,size,offset\n";
  for (std::size_t b = 0; b < offsets.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    text += fmt::format("{},{},{},{},{}\n", csv_cell(buffer.id), buffer.lower, buffer.upper,
                        buffer.size, offsets[b]);
  }
  return text;
}

OperatorGraph read_graph_csv(const std::string& text, const std::string& name,
                             std::uint64_t bytes_per_element) {
  const CsvTable table = read_csv(text, name);
  const CsvLine& header = table.header;
  const auto columns = need_columns(header, {"id", "op", "output_elements", "inputs"});
  refuse_others(header, {"id", "op", "output_elements", "inputs"});
  OperatorGraph graph;
  graph.name = name;
  std::map<std::string, std::uint32_t> index;
  for (const CsvLine& line : table.lines) {
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
