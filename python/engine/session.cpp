#include "python/engine/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/simulate.hpp"
#include "app/tensor_file.hpp"
#include "console/pipes.hpp"
#include "python/engine/process.hpp"
#include "tessera/config.hpp"
#include "tessera/engine.hpp"
#include "tessera/error.hpp"
#include "tessera/reference.hpp"

namespace tessera::python {
namespace {

using Json = nlohmann::ordered_json;

/// In the process of its own.
class Served {
 public:
  explicit Served(const Question& question)
      : config_(load_config(question.config, question.sets)),
        network_(load_configured(config_, config_.models.empty() ? &tensors_ : nullptr)) {
    if (config_.engine == Engine::Model) {
      throw InputError(
          "engine `model` counts cycles and computes nothing; allowed are tlm and rtl");
    }
    Progress progress(false);
    program_ = compile(
        network_, config_.hardware, config_.policy, Contents::All,
        [&](std::size_t tried, std::size_t most) { progress.update("searching", tried, most); });
    check(program_);
    options_.memory = config_.memory;
    options_.disturbance = config_.jitter;
    options_.traffic = config_.traffic;
    options_.announce = [](const std::string& text) { Progress(false).say(text); };
    session_ = open_engine(config_.engine, program_, options_);
    session_->reset();
  }

  [[nodiscard]] std::string description() const {
    Json json;
    json["network"] = network_.name;
    json["inputs"] = described(network_.inputs);
    json["outputs"] = described(network_.outputs);
    json["states"] = network_.states.size();
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  std::string answer_to(const std::string& request) {
    switch (request.empty() ? '?' : request[0]) {
      case 'R':
        return run(request, false);
      case 'V':
        return run(request, true);
      case 'Z':
        return Json{{"cycles", session_->reset()}}.dump();
      default:
        throw InputError("a session takes R, V and Z");
    }
  }

 private:
  [[nodiscard]] const Tensor& tensor(std::int32_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }

  [[nodiscard]] Json described(const std::vector<std::int32_t>& indices) const {
    Json list = Json::array();
    for (const std::int32_t index : indices) {
      const Tensor& t = tensor(index);
      const auto found = std::find_if(tensors_.begin(), tensors_.end(),
                                      [&](const FileTensor& one) { return one.tensor == index; });
      const bool in_file = found != tensors_.end();
      const bool is_byte = t.type == DataType::Int8;
      list.push_back({{"name", in_file ? found->name : t.name},
                      {"index", in_file ? found->index : -1},
                      {"type", file_type(t, config_.tensors)},
                      {"shape", file_shape(t, config_.tensors)},
                      {"scales", is_byte ? t.quantisation.scales : std::vector<float>()},
                      {"zero_point",
                       !is_byte ? 0 : t.quantisation.zero_point + (t.form.is_unsigned ? 128 : 0)}});
    }
    return list;
  }

  std::string run(const std::string& request, bool verify) {
    std::vector<Bytes> inputs;
    std::size_t at = 1;
    for (const std::int32_t index : network_.inputs) {
      const std::size_t bytes = tensor(index).bytes();
      if (request.size() - at < bytes) {
        throw InputError("the inputs have fewer bytes than the network's");
      }
      const auto begin = request.begin() + static_cast<std::ptrdiff_t>(at);
      inputs.push_back(from_file(index, {begin, begin + static_cast<std::ptrdiff_t>(bytes)}));
      at += bytes;
    }
    if (at != request.size()) {
      throw InputError("the inputs have more bytes than the network's");
    }
    std::vector<Bytes> states = verify ? session_->states() : std::vector<Bytes>();
    const RunResult result = session_->run(inputs);
    Json json{
        {"cycles", counter(result.totals, isa::Counter::Cycles)},
        {"external_bytes", external_bytes(result.totals)},
        {"verified", verify ? Json(is_right(inputs, std::move(states), result)) : Json(nullptr)}};
    std::string text = json.dump() + "\n";
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
      const Bytes own = config_.tensors == TensorForm::Own
                            ? to_own(tensor(network_.outputs[i]), result.outputs[i])
                            : result.outputs[i];
      text.append(own.begin(), own.end());
    }
    return text;
  }

  [[nodiscard]] Bytes from_file(std::int32_t index, const Bytes& bytes) const {
    return config_.tensors == TensorForm::Own ? from_own(tensor(index), bytes) : bytes;
  }

  // `states`: before the run.
  [[nodiscard]] bool is_right(const std::vector<Bytes>& inputs, std::vector<Bytes> states,
                              const RunResult& result) const {
    bool right = true;
    const auto observe = [&](std::size_t op, const Bytes& output) {
      right =
          right && (program_.layers[op].output.bytes == 0 || result.layers[op].output == output);
    };
    run_reference(network_, inputs, observe, &states);
    return right && session_->states() == states;
  }

  Config config_;
  std::vector<FileTensor> tensors_;
  Network network_;
  Program program_;
  RunOptions options_;
  std::unique_ptr<EngineSession> session_;
};

void serve(const Question& question, int requests, int results) {
  std::unique_ptr<Served> served;
  answer(results, [&] {
    served = std::make_unique<Served>(question);
    return served->description();
  });
  MessageHeader header;
  while (served && read_all(requests, &header, sizeof(header))) {
    std::string request(header.bytes, '\0');
    if (!read_all(requests, request.data(), request.size())) {
      break;
    }
    answer(results, [&] { return served->answer_to(request); });
  }
}

}  // namespace

Session::Session(const Question& question, const Listener& listener)
    : worker_(std::make_unique<Worker>(
          [&](int requests, int results) { serve(question, requests, results); })) {
  description_ = worker_->next_answer(listener);
}

Session::~Session() = default;

std::string Session::ask(const std::string& request, const Listener& listener) {
  const MessageHeader header{static_cast<std::uint64_t>(MessageKind::Ask), request.size()};
  // Its end shows in the answer that does not come.
  if (write_all(worker_->requests(), &header, sizeof(header))) {
    write_all(worker_->requests(), request.data(), request.size());
  }
  return worker_->next_answer(listener);
}

}  // namespace tessera::python
