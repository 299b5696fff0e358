/// AXI4-Lite slave: control, status, hardware parameters and counters. Unknown offsets, writes to
/// read-only registers and partial writes answer SLVERR.
module register_file #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    parameter int unsigned CbufBytes = 131072,
    parameter int unsigned AccWords = 512,
    parameter int unsigned ParamGroups = 32,
    parameter int unsigned WindowRows = 2,
    parameter int unsigned WindowCols = 4,
    parameter int unsigned LineAtoms = 128,
    parameter int unsigned FoldBytes = 64,
    parameter int unsigned BusBytes = 8,
    parameter int unsigned CounterBits = 48,
    /// A bit for each feature that is built.
    parameter int unsigned Features = (1 << tessera_isa_pkg::NumFeatures) - 1
) (
    input  logic        clk_i,
    /// Synchronous reset, active low.
    input  logic        rst_ni,
    input  bus_pkg::lite_request_t  lite_i,
    output bus_pkg::lite_response_t lite_o,
    /// A pulse.
    output logic        clear_o,
    output logic        irq_enable_o,
    output unit_pkg::run_t run_o,
    output logic [20:0] cbuf_limit_o,
    output logic [31:0] watchdog_o,
    input  logic        busy_i,
    input  logic        done_i,
    /// The first error, until it is cleared.
    input  unit_pkg::error_t error_i,
    /// A counter, in the same cycle, in every second one at most.
    output logic                   counter_read_o,
    output logic             [3:0] counter_index_o,
    input  logic [CounterBits-1:0] counter_i
);

  localparam logic [31:0] Id = 32'h54535241;
  localparam logic [1:0] RespOkay = 2'd0;
  localparam logic [1:0] RespSlvErr = 2'd2;
  localparam int unsigned CbufAtoms = CbufBytes / AtomicC;
  localparam bit HasDepthwise = (Features >> tessera_isa_pkg::FeatureDepthwise) % 2 == 1;
  localparam bit HasFolding = (Features >> tessera_isa_pkg::FeatureFolding) % 2 == 1;
  localparam bit HasChecksums = (Features >> tessera_isa_pkg::FeatureChecksums) % 2 == 1;
  localparam logic [31:0] Window = HasDepthwise ? 32'((LineAtoms << 16) | (WindowCols << 8) | WindowRows) : '0;

  logic aw_held_q, w_held_q, bvalid_q, rvalid_q;
  logic [11:0] awaddr_q;
  logic [31:0] wdata_q, rdata_q;
  logic [3:0] wstrb_q;
  logic [1:0] bresp_q, rresp_q;
  logic irq_enable_q, start_q, clear_q;
  logic [31:0] address_q, bytes_q, watchdog_q, checksum_q;
  logic check_q;
  logic [20:0] limit_q;

  assign lite_o.awready = !aw_held_q;
  assign lite_o.wready = !w_held_q;
  assign lite_o.bvalid = bvalid_q;
  assign lite_o.bresp = bresp_q;
  assign lite_o.arready = !rvalid_q;
  assign lite_o.rvalid = rvalid_q;
  assign lite_o.rdata = rdata_q;
  assign lite_o.rresp = rresp_q;

  logic write;
  assign write = aw_held_q && w_held_q && !bvalid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_held_q <= 1'b0;
      w_held_q <= 1'b0;
      bvalid_q <= 1'b0;
      irq_enable_q <= 1'b0;
      start_q <= 1'b0;
      clear_q <= 1'b0;
      address_q <= '0;
      bytes_q <= '0;
      checksum_q <= '0;
      check_q <= 1'b0;
      watchdog_q <= '0;
      limit_q <= 21'(CbufAtoms);
    end else begin
      start_q <= 1'b0;
      clear_q <= 1'b0;
      if (lite_i.awvalid && !aw_held_q) begin
        aw_held_q <= 1'b1;
        awaddr_q  <= lite_i.awaddr;
      end
      if (lite_i.wvalid && !w_held_q) begin
        w_held_q <= 1'b1;
        wdata_q  <= lite_i.wdata;
        wstrb_q  <= lite_i.wstrb;
      end
      if (lite_i.bready) bvalid_q <= 1'b0;
      if (write) begin
        aw_held_q <= 1'b0;
        w_held_q <= 1'b0;
        bvalid_q <= 1'b1;
        bresp_q <= (&wstrb_q) ? RespOkay : RespSlvErr;
        if (&wstrb_q) begin
          unique case (awaddr_q)
            tessera_isa_pkg::RegControl: begin
              if (wdata_q[2] && !HasChecksums) begin
                bresp_q <= RespSlvErr;
              end else begin
                start_q <= wdata_q[0] && !busy_i;
                clear_q <= wdata_q[1] && !busy_i;
                if (!busy_i) check_q <= wdata_q[2];
              end
            end
            tessera_isa_pkg::RegIrqEnable: irq_enable_q <= wdata_q[0];
            tessera_isa_pkg::RegCommandAddress: address_q <= wdata_q;
            tessera_isa_pkg::RegCommandBytes: bytes_q <= wdata_q;
            tessera_isa_pkg::RegWatchdog: watchdog_q <= wdata_q;
            tessera_isa_pkg::RegCommandChecksum: begin
              if (HasChecksums) checksum_q <= wdata_q;
              else bresp_q <= RespSlvErr;
            end
            tessera_isa_pkg::RegCbufLimit: begin
              // More than there is would let addresses wrap.
              if (wdata_q > 32'(CbufAtoms)) bresp_q <= RespSlvErr;
              else limit_q <= wdata_q[20:0];
            end
            default: bresp_q <= RespSlvErr;
          endcase
        end
      end
    end
  end

  logic read;
  assign read = lite_i.arvalid && !rvalid_q;
  assign counter_read_o = read;

  logic [31:0] rdata;
  logic known;
  logic [8:0] counter_index;
  logic [63:0] counter;
  assign counter_index = 9'(lite_i.araddr[11:3]) - 9'(tessera_isa_pkg::RegCounters >> 3);
  assign counter_index_o = counter_index[3:0];
  assign counter = 64'(counter_i);

  always_comb begin
    rdata = '0;
    known = 1'b1;
    unique case (lite_i.araddr)
      tessera_isa_pkg::RegId: rdata = Id;
      tessera_isa_pkg::RegVersion: rdata = tessera_isa_pkg::CommandSetVersion;
      tessera_isa_pkg::RegStatus: rdata = {29'd0, error_i.valid, done_i, busy_i};
      tessera_isa_pkg::RegIrqEnable: rdata = {31'd0, irq_enable_q};
      tessera_isa_pkg::RegCommandAddress: rdata = address_q;
      tessera_isa_pkg::RegCommandBytes: rdata = bytes_q;
      tessera_isa_pkg::RegCommandChecksum: rdata = checksum_q;
      tessera_isa_pkg::RegCbufLimit: rdata = 32'(limit_q);
      tessera_isa_pkg::RegWatchdog: rdata = watchdog_q;
      tessera_isa_pkg::RegErrorCause: rdata = 32'(error_i.cause);
      tessera_isa_pkg::RegErrorInfo: rdata = error_i.info;
      tessera_isa_pkg::RegAtomicC: rdata = 32'(AtomicC);
      tessera_isa_pkg::RegAtomicK: rdata = 32'(AtomicK);
      tessera_isa_pkg::RegCbufBytes: rdata = 32'(CbufBytes);
      tessera_isa_pkg::RegAccWords: rdata = 32'(AccWords);
      tessera_isa_pkg::RegParamGroups: rdata = 32'(ParamGroups);
      tessera_isa_pkg::RegWindow: rdata = Window;
      tessera_isa_pkg::RegFold: rdata = HasFolding ? 32'(FoldBytes) : '0;
      tessera_isa_pkg::RegBusBytes: rdata = 32'(BusBytes);
      tessera_isa_pkg::RegFeatures: rdata = 32'(Features);
      default: begin
        known = lite_i.araddr >= tessera_isa_pkg::RegCounters && lite_i.araddr[1:0] == 2'd0 &&
            counter_index < 9'(tessera_isa_pkg::NumCounters);
        rdata = lite_i.araddr[2] ? counter[63:32] : counter[31:0];
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rvalid_q <= 1'b0;
    end else if (read) begin
      rvalid_q <= 1'b1;
      rdata_q <= known ? rdata : '0;
      rresp_q <= known ? RespOkay : RespSlvErr;
    end else if (lite_i.rready) begin
      rvalid_q <= 1'b0;
    end
  end

  assign clear_o = clear_q;
  assign irq_enable_o = irq_enable_q;
  assign run_o = {start_q, address_q, bytes_q, check_q, checksum_q};
  assign cbuf_limit_o = limit_q;
  assign watchdog_o = watchdog_q;

endmodule
