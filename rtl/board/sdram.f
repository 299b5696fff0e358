sdram_controller.sv
sdram_port.sv
board_system.sv
