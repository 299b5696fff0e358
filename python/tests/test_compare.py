"""Comparisons with runtimes that are installed beside the tests."""

import json
import sys
from pathlib import Path

import pytest

import tessera

TOP = Path(__file__).resolve().parents[2]
SMALL = TOP / "tests" / "zoo" / "small"
PYTHON = TOP / "build" / "zoo" / "venv" / "bin" / "python"
MODEL = SMALL / "keyword_spotter_int8.tflite"

needs_runtimes = pytest.mark.skipif(
    not PYTHON.exists(), reason="skipped: no Python with the runtimes (scripts/zoo-python.sh makes one)"
)


@needs_runtimes
@pytest.mark.parametrize("runtime", ["litert", "xnnpack", "tflm"])
def test_equal_with_its_numerics(runtime):
    result = tessera.compare(MODEL, runtime=runtime, numerics=runtime, python=PYTHON)
    assert result.equal, repr(result)
    assert result.first is None
    assert result.operators["known"].all()
    assert result.operators["values"].sum() > 10_000
    assert "equal" in repr(result)


@needs_runtimes
def test_differences_name_the_numerics(tmp_path):
    result = tessera.compare(MODEL, runtime="xnnpack", python=PYTHON, seed=3)
    assert not result.equal
    assert result.alternatives["xnnpack"] == 0 < result.alternatives["litert"]
    row = result.operators[result.operators["name"] == result.first].iloc[0]
    assert row["different"] > 0 and "xnnpack" in row["agree"]
    assert result.steps.drop(0).sum() == row["different"]
    page = result.save_report(tmp_path / "differences.html").read_text(encoding="utf-8")
    assert '"kind":"comparison"' in page
    assert json.loads(result.json)["schema"] == "tessera.comparison/1"
    assert result.first in result._repr_html_()


@needs_runtimes
def test_arrays_and_bytes():
    import numpy as np

    model = SMALL / "squeeze_excite_qdq_int8.onnx"
    array = np.load(SMALL / "squeeze_excite_qdq_int8.input0.npy")
    result = tessera.compare(model.read_bytes(), inputs=array, python=PYTHON)
    assert result.equal, repr(result)
    assert result.data["runtime"] == "onnxruntime"


def test_missing_runtimes_are_named():
    with pytest.raises(tessera.MissingToolError, match="tflite-micro is not installed"):
        tessera.compare(MODEL, runtime="tflm", python=sys.executable)
    with pytest.raises(tessera.InputError, match="run by litert, xnnpack and tflm"):
        tessera.compare(MODEL, runtime="onnxruntime")
