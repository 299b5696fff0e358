button.sv
class_lights.sv
standalone_system.sv
