#include "timing/machine/array_timing.hpp"

#include <algorithm>

namespace tessera::timing {
namespace {

constexpr std::int64_t kAddressMask = 0xFFFFF;  // the command set's cbuf addresses

}  // namespace

ArrayTiming::ArrayTiming(const Hardware& hardware)
    : hw_(hardware),
      bank_atoms_(hardware.bank_atoms()),
      most_jobs_(hardware.convolutions_ahead()) {}

bool ArrayTiming::takes_conv(Cycle now) const {
  std::size_t held = 0;
  for (const Reading& reading : readings_) {
    held += reading.freed > now ? 1 : 0;
  }
  return jobs_.size() < most_jobs_ && held < most_jobs_;
}

Cycle ArrayTiming::takes_conv_from(Cycle now) const {
  Cycle from = kNever;
  for (const Reading& reading : readings_) {
    if (reading.freed > now) {
      from = std::min(from, reading.freed);
    }
  }
  return from;
}

std::uint32_t ArrayTiming::kernels_of(const Job& job, std::uint64_t tile) const {
  const std::uint64_t part = tile / job.group_tiles;
  if (!job.pieces.empty()) {
    return job.pieces[part].lanes;
  }
  return part + 1 == job.walk.groups ? job.walk.last_kernels : hw_.atomic_k;
}

// Whole jobs are compared: the slab's rows that the steps visit, and all weights.
bool ArrayTiming::apart(const Job& job) const {
  const Walk& walk = job.walk;
  const std::int64_t y_end = walk.y0 + std::int64_t{walk.tile_move_y} * (walk.tiles_y - 1) +
                             std::int64_t{walk.move_y} * (walk.rows - 1);
  const std::int64_t first_row = std::max<std::int64_t>(walk.y0, 0);
  const std::int64_t last_row = std::min<std::int64_t>(y_end, job.rows - 1);
  if (last_row < first_row) {
    return true;
  }
  // Row y0 begins where the origin's column 0 would lie.
  const std::int64_t base = static_cast<std::int64_t>(job.origin) -
                            std::int64_t{walk.y0} * walk.row_pitch -
                            std::int64_t{walk.x0} * walk.pixel_pitch;
  // Rows that wrap around are taken to fill the ring.
  const bool wraps = walk.ring_atoms != 0 && last_row >= walk.ring_row;
  const auto atom = [&](std::int64_t offset) {
    return static_cast<std::uint64_t>((base + offset) & kAddressMask);
  };
  const std::uint64_t first =
      atom(wraps ? walk.row_atoms(walk.ring_row) : first_row * walk.row_pitch);
  const std::uint64_t last = atom((wraps ? walk.ring_row : last_row + 1) * walk.row_pitch - 1);
  if (last < first) {
    return false;
  }
  std::uint64_t kernels = std::uint64_t{walk.groups - 1} * hw_.atomic_k + walk.last_kernels;
  kernels *= job.group_tiles;
  return bank_of(last) < bank_of(job.weights) ||
         bank_of(job.weights + kernels - 1) < bank_of(first);
}

void ArrayTiming::push_conv(const ConvOperation& op, std::uint32_t id, Cycle now) {
  Job job;
  job.id = id;
  job.visible = now + 1;
  job.walk = walk_of(op);
  job.group_tiles = std::uint64_t{job.walk.tiles_y} * job.walk.tiles_x * job.walk.atoms;
  job.tiles = job.group_tiles * job.walk.groups;
  job.even_kernels = hw_.atomic_k;
  job.last_kernels = job.walk.last_kernels;
  if (op.depthwise) {
    job.pieces = channel_pieces(op, hw_);
    job.tiles = job.group_tiles * job.pieces.size();
    job.even_kernels = job.pieces[0].lanes;
    job.last_kernels = job.pieces.back().lanes;
    const bool are_even =
        std::all_of(job.pieces.begin(), job.pieces.end() - 1,
                    [&](const ChannelPiece& piece) { return piece.lanes == job.even_kernels; });
    job.even_kernels = are_even ? job.even_kernels : 0;
  }
  job.origin = op.conv.origin;
  job.weights = op.weights.address;
  job.rows = op.input.rows;
  job.cols = op.input.cols;
  job.apart = apart(job);
  while (!readings_.empty() && readings_.front().freed <= now) {
    readings_.pop_front();
  }
  const bool loader_waits = readings_.empty() || readings_.back().freed != kNever;
  const Cycle before = readings_.empty() ? 0 : readings_.back().freed;
  readings_.push_back({job, 0, job.weights, kNever});
  if (loader_waits) {
    loader_from_ = std::max({loader_from_, before, job.visible}) + 1;
  }
  idle_from_ = kNever;
  jobs_.push_back(job);
  if (!has_tile_) {
    read_tile();
  }
  if (!active_) {
    wake_ = std::min(wake_, job.visible);
  }
}

void ArrayTiming::push_mark(std::uint32_t id, Cycle now) {
  Job job;
  job.is_mark = true;
  job.id = id;
  job.visible = now + 1;
  jobs_.push_back(job);
  idle_from_ = kNever;
  if (!active_) {
    wake_ = std::min(wake_, job.visible);
  }
}

// The next weight tile, if there is one, as soon as its registers and the loader are free.
void ArrayTiming::read_tile() {
  auto reading = std::find_if(readings_.begin(), readings_.end(),
                              [](const Reading& r) { return r.freed == kNever; });
  if (reading == readings_.end()) {
    return;
  }
  const std::uint32_t kernels = kernels_of(reading->job, reading->tile);
  read_begin_ = std::max(loader_from_, shadow_free_);
  read_end_ = read_begin_ + kernels;
  read_address_ = reading->address;
  has_tile_ = true;
  reading->address += kernels;
  if (++reading->tile == reading->job.tiles) {
    reading->freed = read_end_;
    const auto next = reading + 1;
    loader_from_ = (next == readings_.end() ? read_end_ : std::max(read_end_, next->job.visible));
    loader_from_ += next == readings_.end() ? 0 : 1;
  }
  if (active_ && read_begin_ <= stretch_.last()) {
    refuse();
  }
}

// Steps of the last tile under way that meet the weight tile being read: both want one bank.
void ArrayTiming::refuse() {
  if (stretch_.tiles != 1) {
    return;  // apart
  }
  const Walk& walk = job_.walk;
  const std::uint64_t in_group = (tile_ - 1) % job_.group_tiles;
  const std::uint64_t part = (tile_ - 1) / job_.group_tiles;
  const auto tap = static_cast<std::int64_t>(in_group / walk.atoms);
  const std::int64_t tap_y = tap / walk.tiles_x * walk.tile_move_y;
  const std::int64_t tap_x = tap % walk.tiles_x * walk.tile_move_x;
  const std::int64_t own = job_.pieces.empty() ? 0 : std::int64_t{job_.pieces[part].atom};
  const std::int64_t base = static_cast<std::int64_t>(job_.origin) +
                            static_cast<std::int64_t>(in_group % walk.atoms) + own;
  // This is the innermost loop of long networks: steps and banks are followed, not divided for.
  std::uint64_t step = read_begin_ - stretch_.begin;
  auto row = static_cast<std::int64_t>(step / walk.cols);
  auto col = static_cast<std::int64_t>(step % walk.cols);
  std::uint64_t address = read_address_;
  auto bank_begin = static_cast<std::int64_t>(address / bank_atoms_ * bank_atoms_);
  for (Cycle c = read_begin_; c < read_end_ && step < stretch_.steps; ++c, ++address) {
    const auto depth = static_cast<std::int64_t>(bank_atoms_);
    bank_begin += static_cast<std::int64_t>(address) == bank_begin + depth ? depth : 0;
    const std::int64_t dy = tap_y + row * walk.move_y;
    const std::int64_t dx = tap_x + col * walk.move_x;
    const std::int64_t y = walk.y0 + dy;
    const std::int64_t x = walk.x0 + dx;
    bool meets = false;
    if (y >= 0 && x >= 0 && y < job_.rows && x < job_.cols) {
      const std::int64_t wrapped = y >= walk.ring_row ? walk.ring_atoms : 0;
      const std::int64_t feature =
          (base + dy * walk.row_pitch + dx * walk.pixel_pitch - wrapped) & kAddressMask;
      meets = feature >= bank_begin && feature < bank_begin + depth;
    }
    if (meets) {
      ++stretch_.refused;
      continue;
    }
    ++step;
    if (++col == static_cast<std::int64_t>(walk.cols)) {
      col = 0;
      ++row;
    }
  }
  wake_ = stretch_.last();
}

// As many tiles as follow each other evenly; the job's last one always comes alone, because what is
// read meanwhile belongs to the next job.
void ArrayTiming::begin_tiles(Cycle earliest) {
  const Cycle begin = std::max(earliest, read_end_);
  stall_begin_ = earliest;
  stall_end_ = begin;
  stretch_ = {begin, 1, 1, job_.walk.steps(), 0};
  ++tile_;
  has_tile_ = false;
  shadow_free_ = begin + 1;
  const std::uint64_t in_full_groups =
      job_.last_kernels == job_.even_kernels
          ? job_.tiles
          : job_.tiles - job_.group_tiles;  // tiles whose weights take as long as any
  if (job_.apart && job_.even_kernels != 0 && tile_ + 1 < in_full_groups) {
    // All up to the last but one.
    const std::uint64_t more = in_full_groups - 1 - tile_;
    stretch_.tiles += more;
    stretch_.period = std::max<std::uint64_t>(stretch_.steps, job_.even_kernels + 1);
    tile_ += more;
    Reading& reading = *std::find_if(readings_.begin(), readings_.end(),
                                     [](const Reading& r) { return r.freed == kNever; });
    reading.tile += more;
    reading.address += more * job_.even_kernels;
    shadow_free_ = stretch_.begin + more * stretch_.period + 1;
  }
  wake_ = stretch_.last();
  read_tile();
}

void ArrayTiming::finish_stretch() {
  last_step_ = stretch_.last();
  busy_ += stretch_.tiles * stretch_.steps;
  weight_stalls_ +=
      stall_end_ - stall_begin_ + (stretch_.tiles - 1) * (stretch_.period - stretch_.steps);
  bank_stalls_ += stretch_.refused;
  stall_begin_ = stall_end_ = 0;
  stretch_.tiles = 0;
}

void ArrayTiming::await_job(Cycle from) {
  if (jobs_.empty()) {
    wake_ = kNever;
    idle_from_ = from;
  } else {
    wake_ = std::max(from, jobs_.front().visible);
  }
}

void ArrayTiming::take_job(Cycle now) {
  job_ = jobs_.front();
  jobs_.pop_front();
  if (job_.is_mark) {
    events_.push_back({true, job_.id, now});
    await_job(now + 1);
    return;
  }
  active_ = true;
  tile_ = 0;
  begin_tiles(now + 1);
}

const std::vector<ArrayTiming::Event>& ArrayTiming::advance(Cycle now) {
  events_.clear();
  while (wake_ <= now) {
    const Cycle at = wake_;
    if (active_) {
      finish_stretch();
      if (tile_ < job_.tiles) {
        begin_tiles(at + 1);
        continue;
      }
      events_.push_back({false, job_.id, at});
      active_ = false;
      await_job(at + 1);
      continue;
    }
    take_job(at);
  }
  return events_;
}

bool ArrayTiming::quiet(Cycle now) const {
  if (active_ || !jobs_.empty() || idle_from_ == kNever) {
    return false;
  }
  return now >= idle_from_ + kPipeline;
}

std::uint64_t ArrayTiming::busy(Cycle now) const {
  if (stretch_.tiles == 0 || now <= stretch_.begin) {
    return now == last_step_ ? busy_ - 1 : busy_;
  }
  const std::uint64_t since = now - stretch_.begin;
  const std::uint64_t whole = std::min(stretch_.tiles - 1, since / stretch_.period);
  return busy_ +
         (stretch_.tiles == 1
              ? std::min(since, stretch_.steps)
              : whole * stretch_.steps + std::min(since - whole * stretch_.period, stretch_.steps));
}

std::uint64_t ArrayTiming::stalled_by_weights(Cycle now) const {
  std::uint64_t stalls = weight_stalls_;
  if (now > stall_begin_) {
    stalls += std::min(now, stall_end_) - stall_begin_;
  }
  if (stretch_.tiles > 1 && now > stretch_.begin) {
    const std::uint64_t since = std::min(now, stretch_.last() + 1) - stretch_.begin;
    stalls += since - (busy(now) - busy_);
  }
  return stalls;
}

std::uint64_t ArrayTiming::stalled_by_banks(Cycle now) const {
  if (stretch_.tiles != 1 || now <= stretch_.begin) {
    return bank_stalls_;
  }
  const std::uint64_t since = std::min(now, stretch_.last() + 1) - stretch_.begin;
  return bank_stalls_ + since - std::min(since, stretch_.steps);
}

}  // namespace tessera::timing
