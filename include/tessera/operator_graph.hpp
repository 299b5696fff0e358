// Operators with one output each, for planning without a network's weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/allocation.hpp"
#include "tessera/order.hpp"

namespace tessera {

/// What an operator does with its inputs' memory.
enum class Sharing : std::uint8_t {
  Kept,         ///< computes: its output is apart from its inputs
  ElementWise,  ///< may write over its first input of the same size where that dies
  Removable,    ///< its output is its input's very memory: a copy, a reshape
  Merging       ///< its inputs can be written into its output: a concatenation
};

struct GraphNode {
  std::string id;
  std::string op;
  std::uint64_t bytes = 0;  ///< of its output
  std::vector<std::uint32_t> inputs;
  Sharing sharing = Sharing::Kept;
};

/// In a valid order; the last node's output is the network's.
struct OperatorGraph {
  std::string name;
  std::vector<GraphNode> nodes;
};

/// Reads `id,op,output_elements,inputs` (ids separated by spaces). Throws InputError with
/// file:line.
OperatorGraph read_graph_csv(const std::string& text, const std::string& name,
                             std::uint64_t bytes_per_element);

/// `in_place`: element-wise operators may write over their inputs.
OrderProblem order_problem(const OperatorGraph& graph, bool in_place);

/// Every output a buffer, in the time of `order`. With `in_place`, outputs that an element-wise
/// operator writes over its dying input are the input's buffer; `buffer_of` says which by node.
struct GraphAllocation {
  AllocationProblem problem;
  std::vector<std::size_t> buffer_of;
};
GraphAllocation allocation_problem(const OperatorGraph& graph,
                                   const std::vector<std::uint32_t>& order, bool in_place);

/// Greedy by size over sets of operators that share memory; removable and merging operators
/// vanish. Offsets by node. First published for compilers that remove splits and concatenations.
struct RemovalPlan {
  std::vector<std::uint64_t> offsets;
  std::vector<bool> removed;                            ///< by node: no command is left for it
  std::vector<std::uint32_t> placement;                 ///< nodes that were placed, in that order
  std::vector<std::vector<std::uint32_t>> first;        ///< first dependents, by node
  std::vector<std::vector<std::uint32_t>> local_share;  ///< local sharers, by node
  std::uint64_t height = 0;
};
RemovalPlan plan_removal(const OperatorGraph& graph);

/// Reads `id,lower,upper,size[,alignment][,gaps][,offset]`, in any order: one alignment for all,
/// no gaps. The offsets of a plan go to `offsets`; without it, a plan is refused. Throws InputError
/// with file:line, for columns that it does not know, too.
AllocationProblem read_problem_csv(const std::string& text, const std::string& name,
                                   std::vector<std::uint64_t>* offsets = nullptr);

/// `id,lower,upper,size,offset`.
std::string write_plan_csv(const AllocationProblem& problem,
                           const std::vector<std::uint64_t>& offsets);

}  // namespace tessera
