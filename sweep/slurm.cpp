#include "sweep/slurm.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "sim/tools/shell.hpp"
#include "tessera/error.hpp"

namespace tessera::sweep {
namespace {

namespace fs = std::filesystem;

void write_script(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  if (!out) {
    throw InputError(path.string() + ": cannot be written");
  }
  out.close();
  ::chmod(path.c_str(), 0755);
}

std::string options_text(const SlurmRequest& request) {
  std::string text;
  for (const std::string& option : request.options) {
    text += "#SBATCH " + option + "\n";
  }
  return text;
}

// A task that is killed and queued again goes on where its file of points ends. Exit code 1 says
// that points failed, which is a result.
std::string array_script(const SlurmRequest& request, const std::string& cosim,
                         const std::string& folder) {
  std::string arguments;
  for (const std::string& argument : request.arguments) {
    arguments += " " + shell_quoted(argument);
  }
  return fmt::format(
      "#!/bin/sh\n"
      "#SBATCH --job-name=tessera-sweep\n"
      "#SBATCH --array=1-{0}\n"
      "#SBATCH --cpus-per-task={1}\n"
      "#SBATCH --requeue\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --output={2}/slurm-%A-%a.log\n"
      "{3}"
      "cd {4} || exit 2\n"
      "{5} sweep{6} --jobs {1} --out {7} --shard \"$SLURM_ARRAY_TASK_ID/{0}\"\n"
      "code=$?\n"
      "[ \"$code\" -eq 1 ] && exit 0\n"
      "exit \"$code\"\n",
      request.tasks, request.cpus, folder, options_text(request),
      shell_quoted(fs::current_path().string()), shell_quoted(cosim), arguments,
      shell_quoted(folder));
}

std::string merge_script(const SlurmRequest& request, const std::string& cosim,
                         const std::string& folder) {
  return fmt::format(
      "#!/bin/sh\n"
      "#SBATCH --job-name=tessera-merge\n"
      "#SBATCH --output={}/slurm-%j-merge.log\n"
      "{}"
      "exec {} sweep merge --out {}\n",
      folder, options_text(request), shell_quoted(cosim), shell_quoted(folder));
}

// The number of the job.
std::string sbatch(const std::string& arguments) {
  const std::string command = "sbatch --parsable " + arguments + " 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"),
                                                   [](FILE* file) { return ::pclose(file); });
  if (!pipe) {
    throw InputError(command + ": cannot be run");
  }
  std::string text;
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), pipe.get()) != nullptr) {
    text += part.data();
  }
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (text.empty() || digits == 0) {
    throw InputError(fmt::format("{}: {}", command, text));
  }
  return text.substr(0, digits);
}

}  // namespace

SlurmJobs submit(const SlurmRequest& request) {
  std::error_code error;
  fs::create_directories(request.folder, error);
  const std::string folder = fs::absolute(request.folder).lexically_normal().string();
  const std::string cosim = fs::read_symlink("/proc/self/exe").string();
  SlurmJobs jobs;
  jobs.array_script = (fs::path(folder) / "sweep.sbatch").string();
  jobs.merge_script = (fs::path(folder) / "merge.sbatch").string();
  write_script(jobs.array_script, array_script(request, cosim, folder));
  write_script(jobs.merge_script, merge_script(request, cosim, folder));
  if (!request.submit) {
    return jobs;
  }
  if (!has_tool("sbatch")) {
    throw MissingTool(
        "`sbatch` is needed to submit jobs and is not installed; the scripts are in " + folder);
  }
  jobs.array_job = sbatch(shell_quoted(jobs.array_script));
  // Also after tasks that failed: the merge says which shares are missing.
  jobs.merge_job = sbatch(
      fmt::format("--dependency=afterany:{} {}", jobs.array_job, shell_quoted(jobs.merge_script)));
  return jobs;
}

}  // namespace tessera::sweep
