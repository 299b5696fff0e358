../boot/boot_pkg.sv
serial_crc.sv
sram_port.sv
flash_reader.sv
sram_memory.sv
button.sv
class_lights.sv
flash_alone.sv
