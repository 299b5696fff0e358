// A sweep as an array of Slurm jobs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::sweep {

struct SlurmRequest {
  std::vector<std::string> arguments;  ///< of `cosim sweep`, without --out, --shard and --jobs
  std::string folder;
  std::size_t tasks = 1;
  std::size_t cpus = 1;              ///< of each task
  std::vector<std::string> options;  ///< further #SBATCH lines, such as "--partition=long"
  bool submit = true;
};

struct SlurmJobs {
  std::string array_script;
  std::string merge_script;
  std::string array_job;  ///< empty: not submitted
  std::string merge_job;
};

/// Writes both scripts into the folder and submits them, the merge to run when the array has ended.
/// Throws MissingTool without sbatch, InputError when sbatch refuses.
SlurmJobs submit(const SlurmRequest& request);

}  // namespace tessera::sweep
