harness.sv
