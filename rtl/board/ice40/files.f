clocks.sv
sram.sv
flash_pads.sv
