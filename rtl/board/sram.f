sram_port.sv
flash_reader.sv
sram_memory.sv
sram_system.sv
