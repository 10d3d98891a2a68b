"""A graph as an ONNX file. Needs onnx (the extra `export`)."""

from pathlib import Path
from typing import Any

import numpy as np

from pacer.errors import PacerError
from pacer.exports.graph import Graph

OPERATIONS, VERSION = 18, 8  # of ONNX: old enough for the runtimes of 2023


def write_onnx(graph: Graph, outputs: int, path: Path, about: dict[str, str]) -> None:
    """A model of named inputs (batch, size) and one output `action` (batch, outputs)."""
    onnx = _onnx()
    helper = onnx.helper
    number = onnx.TensorProto.FLOAT

    def options(given: dict[str, Any]) -> dict[str, Any]:
        kind = {"to": helper.np_dtype_to_tensor_dtype(np.dtype(given["to"]))} if "to" in given else {}
        return {**given, **kind}

    body = helper.make_graph(
        [helper.make_node(n.operation, n.inputs, [n.output], **options(n.options)) for n in graph.nodes],
        "policy",
        [helper.make_tensor_value_info(name, number, ["batch", size]) for name, size in graph.inputs.items()],
        [helper.make_tensor_value_info("action", number, ["batch", outputs])],
        [onnx.numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
    )
    model = helper.make_model(
        body, producer_name="pacer", opset_imports=[helper.make_opsetid("", OPERATIONS)], ir_version=VERSION
    )
    helper.set_model_props(model, about)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def _onnx() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise PacerError("an ONNX file needs onnx: pip install 'pacer-rl[export]'") from error
    return onnx
