#include "explore/server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "explore/json_text.hpp"
#include "input/read_file.hpp"
#include "report/report_html.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera::explore {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kHost = "127.0.0.1";
constexpr int kForbidden = 403;
constexpr int kBadRequest = 400;
constexpr std::chrono::milliseconds kPeriod{100};
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string file_text(const fs::path& path) {
  const std::vector<std::uint8_t> data = read_file(path.string());
  return {data.begin(), data.end()};
}

std::size_t number_of(const httplib::Request& request, const char* name) {
  const std::string text = request.get_param_value(name);
  if (text.empty() || text.size() > 9 ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    throw InputError(fmt::format("{} is `{}`; allowed is a number", name, text));
  }
  return std::stoul(text);
}

class Server {
 public:
  explicit Server(std::vector<std::unique_ptr<Source>> sources) : sources_(std::move(sources)) {
    const fs::path page = data_dir() / "explore" / "page";
    const fs::path report = data_dir() / "report" / "page";
    add_file("/", file_text(page / "explore.html"), "text/html; charset=utf-8");
    add_file("/explore.css", file_text(report / "report.css") + file_text(page / "explore.css"),
             "text/css; charset=utf-8");
    add_file("/explore.js", file_text(report / "common.js") + file_text(page / "explore.js"),
             "text/javascript; charset=utf-8");
    add_file("/echarts.js", charting_library(), "text/javascript; charset=utf-8");
    add_answer("/api/sources", [this](const httplib::Request& /*request*/) {
      std::string list;
      for (const auto& source : sources_) {
        list += (list.empty() ? "[" : ",") + source->points();
      }
      return list + "]";
    });
    add_answer("/api/layers", [this](const httplib::Request& request) {
      return source_of(request).layers(number_of(request, "point"));
    });
    add_answer("/api/timeline", [this](const httplib::Request& request) {
      return source_of(request).timeline(number_of(request, "point"),
                                         request.get_param_value("layer"));
    });
  }

  void run(int port, const std::function<void(const std::string&)>& started,
           const std::function<bool()>& goes_on) {
    const int bound =
        port == 0 ? http_.bind_to_any_port(kHost) : (http_.bind_to_port(kHost, port) ? port : -1);
    if (bound < 0) {
      throw InputError(
          fmt::format("--port {}: cannot be had; without one, a free one is taken", port));
    }
    names_ = {fmt::format("{}:{}", kHost, bound), fmt::format("localhost:{}", bound)};
    http_.set_pre_routing_handler(
        [this](const auto& request, auto& response) { return admit(request, response); });
    std::atomic<bool> listening{true};
    std::thread watcher([&] {
      while (listening && goes_on()) {
        std::this_thread::sleep_for(kPeriod);
      }
      http_.stop();
    });
    started(fmt::format("http://{}/", names_.front()));
    http_.listen_after_bind();
    listening = false;
    watcher.join();
  }

 private:
  // Pages of elsewhere can send requests here under names of their own.
  httplib::Server::HandlerResponse admit(const httplib::Request& request,
                                         httplib::Response& response) const {
    response.set_header("Content-Security-Policy", kPolicy);
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Cache-Control", "no-store");
    const std::string host = request.get_header_value("Host");
    if (std::find(names_.begin(), names_.end(), host) != names_.end() && request.method == "GET") {
      return httplib::Server::HandlerResponse::Unhandled;
    }
    response.status = kForbidden;
    return httplib::Server::HandlerResponse::Handled;
  }

  void add_file(const std::string& path, std::string text, const char* type) {
    http_.Get(path, [text = std::move(text), type](const auto& /*request*/, auto& response) {
      response.set_content(text, type);
    });
  }

  void add_answer(const std::string& path,
                  const std::function<std::string(const httplib::Request&)>& answer) {
    http_.Get(path, [this, answer](const httplib::Request& request, httplib::Response& response) {
      const std::scoped_lock lock(one_at_a_time_);
      try {
        response.set_content(answer(request), "application/json");
      } catch (const std::exception& error) {
        response.status = kBadRequest;
        const Json json = {{"error", error.what()}};
        response.set_content(text_of(json), "application/json");
      }
    });
  }

  Source& source_of(const httplib::Request& request) {
    const std::size_t index = number_of(request, "source");
    if (index >= sources_.size()) {
      throw InputError(fmt::format("source is {}; there are {}", index, sources_.size()));
    }
    return *sources_[index];
  }

  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<std::string> names_;
  std::mutex one_at_a_time_;
  httplib::Server http_;
};

}  // namespace

void serve(std::vector<std::unique_ptr<Source>> sources, int port,
           const std::function<void(const std::string& address)>& started,
           const std::function<bool()>& goes_on) {
  Server(std::move(sources)).run(port, started, goes_on);
}

}  // namespace tessera::explore
