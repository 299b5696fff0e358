clocks.sv
pads_out.sv
pads_both.sv
clock_out.sv
