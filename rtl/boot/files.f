boot_pkg.sv
boot_front.sv
boot_memory.sv
tessera_boot.sv
