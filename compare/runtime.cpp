#include "compare/runtime.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "app/tensor_file.hpp"
#include "console/output_file.hpp"
#include "input/read_file.hpp"
#include "network/numerics.hpp"
#include "sim/tools/shell.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 5> kNames = {"litert", "xnnpack", "tflm", "onnxruntime",
                                               "onnxruntime_fused"};
constexpr int kMissing = 3;

std::string ending_of(const std::string& model) {
  return fs::path(model).extension().string();
}

// Removed with all that is in it.
class ExchangeFolder {
 public:
  ExchangeFolder() {
    std::error_code error;
    const fs::path base = fs::temp_directory_path(error);
    std::string pattern = (base / "tessera_compare_XXXXXX").string();
    if (error || ::mkdtemp(pattern.data()) == nullptr) {
      throw InputError(fmt::format("TMPDIR ({}): a folder for values cannot be made there",
                                   base.empty() ? "/tmp" : base.string()));
    }
    path_ = pattern;
  }
  ~ExchangeFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  ExchangeFolder(const ExchangeFolder&) = delete;
  ExchangeFolder& operator=(const ExchangeFolder&) = delete;
  ExchangeFolder(ExchangeFolder&&) = delete;
  ExchangeFolder& operator=(ExchangeFolder&&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct Ended {
  int code = 0;
  std::string last_line;
};

Ended ended(const std::string& command) {
  FILE* const out = ::popen((command + " 2>&1 </dev/null").c_str(), "r");
  if (out == nullptr) {
    return {kMissing, "no process can be started"};
  }
  Ended end;
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), line.size(), out) != nullptr) {
    end.last_line = line.data();
  }
  const int status = ::pclose(out);
  end.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  while (!end.last_line.empty() && end.last_line.back() == '\n') {
    end.last_line.pop_back();
  }
  return end;
}

Json description(const Network& network, const FileTensor& tensor, const std::string& file) {
  const Tensor there = in_file(network, tensor);
  return {{"name", tensor.name},
          {"index", tensor.index},
          {"file", file},
          {"shape", file_shape(there, TensorForm::Own)},
          {"type", file_type(there, TensorForm::Own)}};
}

}  // namespace

std::string_view name_of(Runtime runtime) {
  return kNames.at(static_cast<std::size_t>(runtime));
}

std::string_view name_of(Numerics numerics) {
  return numerics_names().at(static_cast<std::size_t>(numerics));
}

Runtime runtime_for(const std::string& name, const std::string& model, Numerics numerics) {
  const std::string ending = ending_of(model);
  if (ending != ".tflite" && ending != ".onnx") {
    throw InputError(
        fmt::format("{}: no runtime has it; what is compared are .tflite and .onnx files", model));
  }
  const bool is_onnx = ending == ".onnx";
  if (name.empty()) {
    switch (numerics) {
      case Numerics::Litert:
        return is_onnx ? Runtime::OnnxRuntime : Runtime::Litert;
      case Numerics::Xnnpack:
        return is_onnx ? Runtime::OnnxRuntime : Runtime::Xnnpack;
      case Numerics::OnnxRuntimeFused:
        return is_onnx ? Runtime::OnnxRuntimeFused : Runtime::Tflm;
      default:
        return is_onnx ? Runtime::OnnxRuntime : Runtime::Tflm;
    }
  }
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  const auto runtime = static_cast<Runtime>(found - kNames.begin());
  if (found == kNames.end() ||
      is_onnx != (runtime == Runtime::OnnxRuntime || runtime == Runtime::OnnxRuntimeFused)) {
    throw InputError(
        fmt::format("--runtime {}: {} files are run by {}", name, ending,
                    is_onnx ? "onnxruntime and onnxruntime_fused" : "litert, xnnpack and tflm"));
  }
  return runtime;
}

std::vector<Numerics> numerics_for(const std::string& model) {
  return ending_of(model) == ".onnx"
             ? std::vector<Numerics>{Numerics::OnnxRuntime, Numerics::OnnxRuntimeFused,
                                     Numerics::Tflm}
             : std::vector<Numerics>{Numerics::Tflm, Numerics::Litert, Numerics::Xnnpack};
}

FileKey key_of(const FileTensor& tensor) {
  return {tensor.index, tensor.name};
}

Tensor in_file(const Network& network, const FileTensor& tensor) {
  Tensor there = network.tensors[static_cast<std::size_t>(tensor.tensor)];
  there.form = tensor.form;
  // Some values are stored with more dimensions than the file's have.
  if (!there.form.order.empty()) {
    there.shape.clear();
    for (const std::int32_t d : there.form.order) {
      there.shape.push_back(there.form.shape[static_cast<std::size_t>(d)]);
    }
  }
  return there;
}

RuntimeValues run_in(Runtime runtime, const std::string& model, const std::string& python,
                     const Network& network, const std::vector<FileTensor>& tensors,
                     const std::vector<std::vector<Bytes>>& steps,
                     const std::vector<StateTie>& ties) {
  const ExchangeFolder folder;
  const fs::path script = data_dir() / "compare" / "runtimes" / "values.py";
  Json request{{"model", fs::absolute(model).string()},
               {"runtime", name_of(runtime)},
               {"folder", folder.path().string()},
               {"steps", Json::array()},
               {"states", Json::array()},
               {"tensors", Json::array()}};
  // Writes a value for the runtime.
  const auto given = [&](std::int32_t tensor, const Bytes& value, const std::string& file) {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const FileTensor& t) { return t.tensor == tensor; });
    if (found == tensors.end()) {
      throw InputError(fmt::format("{}: its input `{}` cannot be given to a runtime", model,
                                   network.tensors[static_cast<std::size_t>(tensor)].name));
    }
    write_tensor_file((folder.path() / file).string(), in_file(network, *found), value,
                      TensorForm::Own);
    return description(network, *found, file);
  };
  for (std::size_t s = 0; s < steps.size(); ++s) {
    Json step = Json::array();
    for (std::size_t i = 0; i < steps[s].size(); ++i) {
      step.push_back(given(network.inputs[i], steps[s][i], fmt::format("step{}_{}.npy", s, i)));
    }
    request["steps"].push_back(std::move(step));
  }
  for (std::size_t i = 0; i < ties.size(); ++i) {
    const auto state = std::find_if(network.states.begin(), network.states.end(),
                                    [&](const State& one) { return one.name == ties[i].input; });
    const auto input = std::find_if(tensors.begin(), tensors.end(), [&](const FileTensor& one) {
      return one.name == ties[i].input;
    });
    if (state == network.states.end() || input == tensors.end()) {
      throw InputError(
          fmt::format("{}: its input `{}` cannot be given to a runtime", model, ties[i].input));
    }
    // A state of bytes behind floats begins with zeros.
    const Bytes zeros(network.tensors[static_cast<std::size_t>(input->tensor)].bytes(), 0);
    request["states"].push_back(
        {{"output", ties[i].output},
         {"input", given(input->tensor, state->input == input->tensor ? state->initial : zeros,
                         fmt::format("state{}.npy", i))}});
  }
  const auto file_of = [](std::size_t t) { return fmt::format("tensor{}.npy", t); };
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    request["tensors"].push_back(description(network, tensors[t], file_of(t)));
  }
  write_text((folder.path() / "request.json").string(),
             request.dump(-1, ' ', false, Json::error_handler_t::replace));

  if (!has_tool(shell_quoted(python))) {
    throw MissingTool(fmt::format(
        "`{}` is no Python: --python or TESSERA_PYTHON names one that has the runtime", python));
  }
  const Ended end =
      ended(fmt::format("{} {} {}", shell_quoted(python), shell_quoted(script.string()),
                        shell_quoted((folder.path() / "request.json").string())));
  if (end.code == kMissing) {
    throw MissingTool(end.last_line +
                      "; --python or TESSERA_PYTHON names another interpreter that has it");
  }
  constexpr int kRefused = 2;
  const fs::path answer_file = folder.path() / "answer.json";
  if (end.code == kRefused && !end.last_line.empty()) {
    throw InputError(fmt::format("{}: {}", model, end.last_line));
  }
  if (end.code != 0 || !fs::exists(answer_file)) {
    throw MissingTool(
        fmt::format("`{}` ended with code {} and no answer{}{}; --python or "
                    "TESSERA_PYTHON names an interpreter that has the runtime",
                    python, end.code, end.last_line.empty() ? "" : ": ", end.last_line));
  }

  const auto text = read_file(answer_file.string());
  const Json answer = Json::parse(text);
  RuntimeValues values;
  values.version = answer.at("runtime").get<std::string>();
  values.disturbed = answer.at("disturbed").get<std::uint64_t>();
  std::map<std::string, std::string> missing;
  for (const Json& one : answer.at("missing")) {
    missing[one.at("file").get<std::string>()] = one.at("why").get<std::string>();
  }
  const auto plain_files = answer.at("plain").get<std::vector<std::string>>();
  const std::set<std::string> disturbed(plain_files.begin(), plain_files.end());
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (const auto why = missing.find(file_of(t)); why != missing.end()) {
      values.missing.push_back(fmt::format("`{}` {}", tensors[t].name, why->second));
      continue;
    }
    const Tensor there = in_file(network, tensors[t]);
    const Bytes stored =
        read_tensor_file((folder.path() / file_of(t)).string(), there, TensorForm::Own);
    values.values[key_of(tensors[t])] = to_own(there, stored);
    if (disturbed.count(file_of(t)) != 0) {
      const std::string plain = (folder.path() / ("plain_" + file_of(t))).string();
      values.undisturbed[key_of(tensors[t])] =
          to_own(there, read_tensor_file(plain, there, TensorForm::Own));
    }
  }
  return values;
}

}  // namespace tessera
