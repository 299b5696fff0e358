#include "timing/machine/micro_machine.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::timing {

using microcode::In;
using microcode::Op;
using microcode::Port;

namespace {

constexpr std::uint32_t kPointerBit = 1U << 7;
constexpr Cycle kFirstInstruction = 5;  // from CONTROL
constexpr std::uint32_t kParamWords = 3;

std::uint64_t bit(std::uint32_t n) {
  return std::uint64_t{1} << n;
}

}  // namespace

const std::vector<MicroMachine::Instruction>& MicroMachine::program() {
  static const std::vector<Instruction> program = [] {
    std::vector<Instruction> result;
    for (const std::uint16_t word : microcode::kRom) {
      const std::uint32_t operand = word & 0x7FFU;
      result.push_back({static_cast<Op>(word >> 11), operand, (operand & kPointerBit) != 0});
    }
    return result;
  }();
  return program;
}

MicroMachine::MicroMachine(const Hardware& hardware, MemoryPort& port, MachineObserver& observer)
    : hw_(hardware),
      cbuf_limit_(hardware.cbuf_end()),
      observer_(observer),
      bus_(hardware.bus_bytes, port),
      data_(microcode::kNamedWords + hardware.param_groups * hardware.atomic_k * kParamWords) {}

void MicroMachine::start(std::uint64_t address, std::uint64_t bytes, const std::uint8_t* stream,
                         Cycle now) {
  started_ = now;
  now_ = now + kFirstInstruction;
  running_ = true;
  pc_ = microcode::kStart;
  pause_ = 0;
  paused_ = false;
  word_comes_ = false;
  stream_ = stream;
  stream_address_ = address;
  stream_bytes_ = bytes;
  stream_offset_ = 0;
  runner_.ready = runner_.idle = runner_.first_step = now_;
  load_words_ = {};
  conv_words_ = {};
  store_words_ = {};
  // The phase is the last one's until the microcode says another.
  phase_from_ = now + 1;
}

bool MicroMachine::run(Cycle until) {
  while (running_) {
    if (now_ >= until) {
      now_ = std::max(now_, until);
      return false;
    }
    if (pause_ != 0) {
      const Cycle cycles = std::min(pause_, until - now_);
      pause_ -= cycles;
      advance(cycles);
      continue;
    }
    const Instruction& instruction = program()[pc_];
    if (!is_ready(instruction)) {
      wait(until);
      continue;
    }
    if (!paused_) {
      pause_ = extra_cycles(instruction);
      paused_ = true;
      if (pause_ != 0) {
        continue;
      }
    }
    paused_ = false;
    execute(instruction);
  }
  return true;
}

// Whether an instruction that waits can come to its end in this cycle.
bool MicroMachine::is_ready(const Instruction& instruction) const {
  if (instruction.op == Op::Wait) {
    switch (static_cast<microcode::Wait>(instruction.operand)) {
      case microcode::Wait::Read:
        return bus_.read_idle();
      case microcode::Wait::Word:
        return bus_.want() == 0 || bus_.read_idle();
      case microcode::Wait::Run:
        return now_ >= runner_.idle;
      default:
        return bus_.write_idle();
    }
  }
  if (instruction.op != Op::Out) {
    return true;
  }
  const Port port = instruction.port();
  if (port >= Port::Rows && port <= Port::Go) {
    return now_ >= runner_.ready;
  }
  switch (port) {
    case Port::Address:
    case Port::Command:
    case Port::Data:
      return bus_.read_idle();
    case Port::Sums:
      return now_ >= runner_.idle;
    case Port::Byte:
      return bus_.takes_byte();
    default:
      return true;
  }
}

// Beside the cycle in which it comes to its end.
std::uint32_t MicroMachine::extra_cycles(const Instruction& instruction) const {
  switch (instruction.op) {
    case Op::Min:
    case Op::Max:
    case Op::Muli:
      return 1;
    case Op::Mul:
      return 5;
    case Op::Ext:
    case Op::Exts:
      return instruction.operand;
    default:
      return 0;
  }
}

void MicroMachine::execute(const Instruction& instruction) {
  const Cycle at = now_;
  const std::uint32_t read =
      instruction.op == Op::In ? in(static_cast<In>(instruction.operand)) : 0;
  const bool ended = bus_.segment_ended();
  advance(1);
  ++pc_;
  switch (instruction.op) {
    case Op::In:
      a_ = read;
      pause_ = 1;
      break;
    case Op::Out:
      out(instruction.port());
      break;
    case Op::Wait:
      break;
    case Op::Je:
      if (ended) {
        jump(instruction);
      }
      break;
    case Op::Halt:
      end_command();
      running_ = false;
      set_phase(phase_);
      cycles_ += at - started_;
      break;
    case Op::Err:
      fail(static_cast<isa::Error>(instruction.operand), a_);
    default:
      compute(instruction);
  }
}

void MicroMachine::jump(const Instruction& instruction) {
  pc_ = instruction.operand;
  pause_ = 1;
}

std::uint32_t& MicroMachine::data_word(const Instruction& instruction) {
  return data_[instruction.by_pointer ? pointer_++ % data_.size() : instruction.operand];
}

void MicroMachine::compute(const Instruction& instruction) {
  const auto immediate =
      static_cast<std::uint32_t>(static_cast<std::int32_t>(instruction.operand << 21) >> 21);
  const auto value = [](std::uint32_t word) { return static_cast<std::int32_t>(word); };
  switch (instruction.op) {
    case Op::Ldi:
      a_ = immediate;
      break;
    case Op::Addi:
      a_ += immediate;
      break;
    case Op::Addci:
      a_ += immediate + (carry_ ? 1 : 0);
      break;
    case Op::Ld:
      a_ = data_word(instruction);
      break;
    case Op::Add:
      a_ += data_word(instruction);
      break;
    case Op::Rsb:
      a_ = data_word(instruction) - a_;
      break;
    case Op::Min:
      a_ = static_cast<std::uint32_t>(std::min(value(data_word(instruction)), value(a_)));
      break;
    case Op::Max:
      a_ = static_cast<std::uint32_t>(std::max(value(data_word(instruction)), value(a_)));
      break;
    case Op::Mul:
      multiply(data_word(instruction));
      break;
    case Op::Muli:
      a_ = (a_ & 0xFFFF) * (data_word(instruction) & 0xFFFF);
      break;
    case Op::St:
      data_word(instruction) = a_;
      break;
    case Op::Shr:
      carry_ = right_places_ != 0 && (a_ >> (right_places_ - 1) & 1) != 0;
      a_ >>= right_places_;
      break;
    case Op::Shl:
      a_ <<= left_places_;
      break;
    case Op::Abs:
      sign_ = (value(a_) < 0) != negated_;
      a_ = value(a_) < 0 ? 0 - a_ : a_;
      break;
    case Op::Sgn:
      a_ = sign_ ? 0 - a_ : value(a_) < 0 ? ~a_ : a_;
      break;
    case Op::Ext:
    case Op::Exts:
      extract(instruction.operand, instruction.op == Op::Exts);
      break;
    case Op::Call:
      links_[1] = links_[0];
      links_[0] = pc_;
      jump(instruction);
      break;
    case Op::Ret:
      pc_ = links_[0];
      links_[0] = links_[1];
      pause_ = 1;
      break;
    case Op::Dispatch:
      pc_ = a_ & 63;
      pause_ = 1;
      break;
    case Op::Djm:
      if (rounds_ != 1) {
        jump(instruction);
      }
      rounds_ = (rounds_ - 1) & 0xFFF;
      break;
    default: {
      const bool taken = instruction.op == Op::Jmp || (instruction.op == Op::Jz && a_ == 0) ||
                         (instruction.op == Op::Jnz && a_ != 0) ||
                         (instruction.op == Op::Jn && value(a_) < 0) ||
                         (instruction.op == Op::Jge && value(a_) >= 0);
      if (taken) {
        jump(instruction);
      }
    }
  }
}

void MicroMachine::multiply(std::uint32_t factor) {
  const std::uint64_t product = std::uint64_t{a_} * factor;
  const bool half = (product >> 30 & 1) != 0;
  const bool more = (product & (bit(30) - 1)) != 0;
  a_ = static_cast<std::uint32_t>(product >> 31) + (half && (!sign_ || more) ? 1 : 0);
}

void MicroMachine::extract(std::uint32_t bits, bool is_signed) {
  if (word_comes_) {
    take_command();
  }
  const bool ones = is_signed && (word_ >> 63) != 0;
  const std::uint64_t taken = word_ >> (64 - bits);
  a_ = static_cast<std::uint32_t>(ones && bits < 32 ? taken | ~std::uint64_t{0} << bits : taken);
  word_ <<= bits;
}

std::uint32_t MicroMachine::in(In port) const {
  switch (port) {
    case In::StreamAddress:
      return static_cast<std::uint32_t>(stream_address_);
    case In::StreamBytes:
      return static_cast<std::uint32_t>(stream_bytes_);
    case In::Room:
      return bus_.room();
    case In::Reading:
      return bus_.read_idle() ? 0 : 1;
    case In::Want:
      return bus_.want();
    case In::Inside:
      check_load();
      return load_words_.operation().segments().bytes() %
                         load_words_.operation().source.pixel_bytes !=
                     0
                 ? 1
                 : 0;
    case In::Sign:
      return sign_ ? 256 : 0;
    case In::AtomicK:
      return hw_.atomic_k;
    case In::AccWords:
      return hw_.acc_words;
    case In::ParamGroups:
      return hw_.param_groups;
    case In::ParamStep:
      return kParamWords * hw_.atomic_k;
    default:
      return 0;  // sums are data
  }
}

void MicroMachine::out(Port port) {
  if (port >= Port::Rows && port < Port::Go) {
    runner_.ports[static_cast<std::size_t>(port)] = a_;
    runner_.weights = port == Port::Weights ? a_ & 0xFFFFF : runner_.weights;
    return;
  }
  switch (port) {
    case Port::Address:
      return bus_.read_from(a_);
    case Port::Command:
      command_bytes_ += a_;
      return bus_.read(false, a_, stream_ == nullptr ? command_.data() : nullptr);
    case Port::Data:
      return begin_data(a_);
    case Port::Get:
      word_comes_ = true;
      return bus_.get(a_ & 15);
    case Port::ToCbuf:
      return bus_.to_cbuf((a_ & 1) != 0);
    case Port::Kind:
      kind_ = a_ & 7;
      return;
    case Port::Phase:
      return set_phase(a_ & 3);
    case Port::Mark:
      return mark(a_ & 0xFFFF);
    case Port::Go:
      return go();
    case Port::Sums:
      return begin_store();
    case Port::StoreAddress:
      return bus_.write_to(a_);
    case Port::StoreBytes:
      return bus_.write_bytes(a_ & 0xFFFFFF);
    case Port::Byte:
      ++write_bytes_;
      bus_.put(store_data_);
      store_data_ += store_data_ == nullptr ? 0 : 1;
      return;
    case Port::Setn:
      left_places_ = (a_ & 128) != 0 ? 0 : a_ & 31;
      right_places_ = (a_ & 128) != 0 ? (0 - a_) & 31 : 0;
      negated_ = (a_ >> 8 & 1) != (a_ >> 7 & 1);
      return;
    case Port::Setm:
      rounds_ = a_ & 0xFFF;
      return;
    case Port::Setp:
      pointer_ = a_;
      return;
    default:
      return;  // the filler's, which takes no time
  }
}

void MicroMachine::advance(Cycle cycles) {
  for (; cycles != 0 && !bus_.idle(); --cycles) {
    step_bus();
  }
  now_ += cycles;
}

void MicroMachine::step_bus() {
  const MicroBus::Fault fault = bus_.step(now_);
  ++now_;
  if (fault == MicroBus::Fault::Read) {
    fail(isa::Error::ReadBus, (bus_.reads_data() ? 0U : 0x100U) | bus_.response());
  }
  if (fault == MicroBus::Fault::Write) {
    fail(isa::Error::WriteBus, bus_.response());
  }
}

// Up to the next cycle in which something happens that an instruction can wait for.
void MicroMachine::wait(Cycle until) {
  Cycle next = kNever;
  for (const Cycle runner : {runner_.ready, runner_.idle}) {
    next = runner > now_ ? std::min(next, runner) : next;
  }
  if (!bus_.idle()) {
    const Cycle bus = bus_.next(now_);
    if (bus <= now_) {
      return step_bus();
    }
    next = std::min(next, bus);
  }
  if (next == kNever) {
    fail(isa::Error::Watchdog, phase_ == 0 ? 0 : 1U << (phase_ - 1));
  }
  now_ = std::min(next, until);
}

}  // namespace tessera::timing
