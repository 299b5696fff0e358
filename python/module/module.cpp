// tessera._engine: the engine for Python. Each call works in a process of its own, without the
// interpreter's lock.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/engine/calls.hpp"
#include "python/engine/session.hpp"
#include "python/engine/worker.hpp"
#include "tessera/resources.hpp"

namespace nb = nanobind;

namespace tessera::python {
namespace {

Listener listener_of(const nb::callable& on_progress) {
  Listener listener;
  listener.say = [&](const std::string& text) {
    const nb::gil_scoped_acquire lock;
    on_progress(text, nb::none(), nb::none());
  };
  listener.update = [&](const std::string& what, std::uint64_t done, std::uint64_t whole) {
    const nb::gil_scoped_acquire lock;
    on_progress(what, done, whole);
  };
  // KeyboardInterrupt, most often.
  listener.tick = [] {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
  };
  return listener;
}

// As (kind, text), which the package makes exceptions of.
nb::tuple outcome_of(const std::function<std::string(const Listener&)>& work,
                     const nb::callable& on_progress) {
  std::string kind;
  std::string text;
  {
    const nb::gil_scoped_release unlock;
    try {
      text = work(listener_of(on_progress));
    } catch (const Failure& failure) {
      kind = failure.kind();
      text = failure.what();
    }
  }
  return nb::make_tuple(kind, nb::bytes(text.data(), text.size()));
}

nb::tuple outcome(const std::function<std::string()>& work, const nb::callable& on_progress) {
  return outcome_of([&](const Listener& listener) { return in_worker(work, listener); },
                    on_progress);
}

}  // namespace
}  // namespace tessera::python

NB_MODULE(_engine, m) {
  using namespace tessera::python;
  m.def("set_data_dir", [](const std::string& folder) { tessera::set_data_dir(folder); });
  m.def("set_program_file", [](const std::string& file) { tessera::set_program_file(file); });
  m.def(
      "simulate",
      [](const std::string& config, const std::vector<std::string>& sets, const std::string& input,
         const std::string& output, const std::string& states_in, const std::string& states_out,
         bool check_memory, const std::string& waves, const nb::callable& on_progress) {
        return outcome(
            [&] {
              tessera::SimulateOptions options;
              options.input = input;
              options.output = output;
              options.states_in = states_in;
              options.states_out = states_out;
              options.needs_states = !states_in.empty();
              options.check_memory = check_memory;
              options.waves = waves;
              return simulation({config, sets}, options);
            },
            on_progress);
      },
      nb::arg("config"), nb::arg("sets"), nb::arg("input"), nb::arg("output"), nb::arg("states_in"),
      nb::arg("states_out"), nb::arg("check_memory"), nb::arg("waves"), nb::arg("on_progress"));
  m.def(
      "describe",
      [](const std::string& config, const std::vector<std::string>& sets,
         const nb::callable& on_progress) {
        return outcome([&] { return description({config, sets}); }, on_progress);
      },
      nb::arg("config"), nb::arg("sets"), nb::arg("on_progress"));
  m.def(
      "timeline",
      [](const std::string& config, const std::vector<std::string>& sets,
         const nb::callable& on_progress) {
        return outcome([&] { return timeline({config, sets}); }, on_progress);
      },
      nb::arg("config"), nb::arg("sets"), nb::arg("on_progress"));
  nb::class_<Session>(m, "Session")
      .def("__init__",
           [](Session* self, const std::string& config, const std::vector<std::string>& sets,
              const nb::callable& on_progress) {
             try {
               const nb::gil_scoped_release unlock;
               new (self) Session({config, sets}, listener_of(on_progress));
             } catch (const Failure& failure) {
               // "kind\ntext", which the package makes an exception of.
               throw nb::value_error((failure.kind() + "\n" + failure.what()).c_str());
             }
           })
      .def_prop_ro("description", [](const Session& self) { return self.description(); })
      .def("ask", [](Session& self, const nb::bytes& request, const nb::callable& on_progress) {
        const std::string text(request.c_str(), request.size());
        return outcome_of([&](const Listener& listener) { return self.ask(text, listener); },
                          on_progress);
      });
  m.def(
      "command",
      [](const std::vector<std::string>& arguments, const nb::callable& on_progress) {
        return outcome([&] { return command(arguments); }, on_progress);
      },
      nb::arg("arguments"), nb::arg("on_progress"));
}
