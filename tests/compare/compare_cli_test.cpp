// `cosim compare` as scripts see it, without any runtime. With runtimes: tests/zoo.
#include <filesystem>

#include "tests/app/cli.hpp"

namespace tessera {
namespace {

using test::Cli;
using test::Finished;
using test::text_of;
using test::write_text;

const std::string kModel = TESSERA_SOURCE_DIR "/tests/zoo/small/keyword_spotter_int8.tflite";

class CompareCli : public Cli {
 protected:
  /// Something in the place of a Python.
  std::string stand_in(const std::string& script) {
    write_text(path("python"), "#!/bin/sh\n" + script);
    std::filesystem::permissions(path("python"), std::filesystem::perms::owner_all);
    return path("python");
  }
  void expect(const Finished& outcome, int code, const std::string& says) {
    EXPECT_EQ(outcome.code, code);
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
};

TEST_F(CompareCli, SaysWhatRunsWhat) {
  expect(run("compare lenet5"), 2, "what is compared are .tflite and .onnx files");
  expect(run("compare " + kModel + " --runtime onnxruntime"), 2,
         ".tflite files are run by litert, xnnpack and tflm");
  expect(run("compare " + kModel + " --runtime lite"), 2, "--runtime lite");
  expect(run("compare " + kModel + " --set weights=seeded"), 2, "weights from a seed");
}

TEST_F(CompareCli, MissingRuntimesAreMissingTools) {
  expect(run("compare " + kModel + " --python " + path("none")), 3, "is no Python");
  expect(run("compare " + kModel + " --python " +
             stand_in("echo 'some-runtime is not installed: pip install it' >&2; exit 3\n")),
         3, "some-runtime is not installed: pip install it; --python or TESSERA_PYTHON");
  // What is no interpreter, or a broken one; and words are no commands.
  expect(run("compare " + kModel + " --python " + stand_in("exit 0\n")), 3, "no answer");
  expect(run("compare " + kModel + " --python " + stand_in("echo oh; exit 139\n")), 3,
         "ended with code 139 and no answer: oh");
  expect(run("compare " + kModel + " --python 'true; touch " + path("made") + "'"), 3,
         "is no Python");
  EXPECT_FALSE(std::filesystem::exists(path("made")));
}

TEST_F(CompareCli, NothingIsWrittenOverTheModel) {
  std::filesystem::copy_file(kModel, path("m.tflite"));
  expect(run("compare " + path("m.tflite") + " --json " + path("m.tflite")), 2,
         "is the model that is compared");
  EXPECT_EQ(text_of(path("m.tflite")), text_of(kModel));
}

TEST_F(CompareCli, ARuntimeMayRefuse) {
  expect(run("compare " + kModel + " --python " +
             stand_in("echo 'some-runtime 1.0 does not run the model: no' >&2; exit 2\n")),
         2, "keyword_spotter_int8.tflite: some-runtime 1.0 does not run the model: no");
}

}  // namespace
}  // namespace tessera
