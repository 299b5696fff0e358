// Shares as jobs of a real Slurm, a controller and a node on the loopback interface.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "tests/app/cli.hpp"

namespace tessera {
namespace {

using std::string_literals::operator""s;
using test::Finished;
using test::text_of;
using test::write_text;

constexpr std::chrono::seconds kPatience{180};

bool have(const char* tool) {
  return std::system(fmt::format("command -v {} >/dev/null 2>&1", tool).c_str()) == 0;
}

class Slurm : public test::Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (::geteuid() != 0) {
      GTEST_SKIP() << "skipped: a Slurm of its own needs root";
    }
    for (const char* tool : {"slurmctld", "slurmd", "munged", "sbatch", "scontrol"}) {
      if (!have(tool)) {
        GTEST_SKIP() << "skipped: `" << tool << "` is not installed";
      }
    }
    const std::string problem = start();
    if (!problem.empty()) {
      GTEST_SKIP() << "skipped: Slurm cannot be started here: " << problem;
    }
    started_ = true;
  }
  void TearDown() override {
    if (started_) {
      static_cast<void>(slurm("scancel --user=root"));
    }
    for (const char* name : {"slurmd", "slurmctld", "munged"}) {
      execute(fmt::format("test -f {0} && kill $(cat {0}) && sleep 0.5", path(name + ".pid"s)));
    }
    Cli::TearDown();
  }

  Finished slurm(const std::string& command) {
    return execute("SLURM_CONF=" + path("slurm.conf") + " " + command);
  }

  // Empty: it runs.
  std::string start() {
    // Munge trusts no folder that others may write to.
    execute("chmod 755 " + dir_.string() + "; mkdir -p " + path("munge") + " " + path("state") +
            " " + path("spool"));
    execute("dd if=/dev/urandom bs=1 count=1024 of=" + path("munge/key"));
    execute("chown -R munge: " + path("munge") + "; chmod 711 " + path("munge") + "; chmod 400 " +
            path("munge/key"));
    // On the standard socket: Slurm's plug-in looks for it there.
    execute("mkdir -p /run/munge; chown munge: /run/munge; chmod 755 /run/munge");
    if (execute("munge -n").code != 0) {
      const Finished munged = execute(fmt::format(
          "runuser -u munge -- munged --key-file={} --pid-file={} --log-file={} --seed-file={}",
          path("munge/key"), path("munge/pid"), path("munge/log"), path("munge/seed")));
      if (munged.code != 0) {
        return "munged: " + munged.err;
      }
      execute("cp " + path("munge/pid") + " " + path("munged.pid"));
    }
    write_text(path("slurm.conf"), fmt::format(R"(ClusterName=tessera
SlurmctldHost={0}(127.0.0.1)
AuthType=auth/munge
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation={1}/state
SlurmdSpoolDir={1}/spool
SlurmctldPidFile={1}/slurmctld.pid
SlurmdPidFile={1}/slurmd.pid
SlurmctldLogFile={1}/slurmctld.log
SlurmdLogFile={1}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2
MpiDefault=none
ReturnToService=2
KillWait=2
MinJobAge=600
JobRequeue=1
BatchStartTimeout=30
NodeName={0} NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN
PartitionName=all Nodes={0} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
)",
                                               host(), dir_.string()));
    if (const Finished control = slurm("slurmctld -i"); control.code != 0) {
      return "slurmctld: " + control.err;
    }
    if (const Finished node = slurm("slurmd"); node.code != 0) {
      return "slurmd: " + node.err;
    }
    const auto end = std::chrono::steady_clock::now() + kPatience / 4;
    while (std::chrono::steady_clock::now() < end) {
      if (slurm("sinfo -h -o %T").out.find("idle") != std::string::npos) {
        return "";
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return "the node does not come up: " + text_of(path("slurmctld.log"));
  }

  std::string host() {
    std::string name = execute("hostname -s").out;
    name.erase(name.find_last_not_of('\n') + 1);
    return name;
  }

  // Waits until `is` holds.
  bool wait_for(const std::function<bool()>& is) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      if (is()) {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }

  bool started_ = false;
};

TEST_F(Slurm, AnArrayWithATaskKilledAndRequeuedEqualsASingleRun) {
  const std::string arguments =
      "--config " TESSERA_SOURCE_DIR
      "/configs/npu.yaml --engine model --network mobilenet_v1,lenet5 --cbuf 32KiB..1MiB:16KiB ";
  ASSERT_EQ(run("sweep --quiet " + arguments + " --out " + path("single")).code, 0);
  const Finished submitted =
      slurm(fmt::format("{} sweep submit --slurm --tasks 3 {} --out {} --sbatch=--mem=100", COSIM,
                        arguments, path("array")));
  ASSERT_EQ(submitted.code, 0) << submitted.err;
  const std::size_t at = submitted.out.find("array job ");
  ASSERT_NE(at, std::string::npos) << submitted.out;
  const std::string job = std::to_string(std::stoul(submitted.out.substr(at + 10)));
  const std::string merge =
      std::to_string(std::stoul(submitted.out.substr(submitted.out.find("merge job ") + 10)));
  // The second task's process is killed in the middle of its work, then the task is queued again.
  ASSERT_TRUE(wait_for([&] { return std::filesystem::exists(path("array/points-2-of-3.sqlite")); }))
      << slurm("squeue").out << text_of(path("slurmctld.log"));
  execute("pkill -KILL -f -- '--shard 2/3'");
  const Finished requeued = slurm("scontrol requeue " + job + "_2");
  EXPECT_EQ(requeued.code, 0) << requeued.err;
  ASSERT_TRUE(wait_for([&] {
    const std::string state = slurm("scontrol show job " + merge).out;
    return state.find("JobState=COMPLETED") != std::string::npos ||
           state.find("JobState=FAILED") != std::string::npos;
  })) << slurm("scontrol show job").out;
  EXPECT_NE(slurm("scontrol show job " + merge).out.find("JobState=COMPLETED"), std::string::npos)
      << text_of(path("array/slurm-" + merge + "-merge.log"));
  EXPECT_NE(slurm("scontrol show job " + job + "_2").out.find("Restarts=1"), std::string::npos)
      << slurm("scontrol show job " + job + "_2").out;
  for (const char* name : {"results.csv", "results.json", "points.sqlite"}) {
    EXPECT_NE(text_of(path("array/"s + name)), "") << name;
    EXPECT_EQ(text_of(path("array/"s + name)) == text_of(path("single/"s + name)), true) << name;
  }
}

}  // namespace
}  // namespace tessera
