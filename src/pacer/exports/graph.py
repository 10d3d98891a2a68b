"""A function of arrays as a list of ONNX's operations, made of what JAX traces.

The function is traced for one row; the graph takes any number of them, in a new first axis. What depends on no input
is computed here and becomes a constant, so that a value is either a constant or has that axis.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.extend import core

from pacer.errors import PacerError


class Node(NamedTuple):
    """One operation, as ONNX calls it."""

    operation: str
    inputs: tuple[str, ...]
    output: str
    options: dict[str, Any]


@dataclass
class Graph:
    """Operations in the order they are done, and the constants among their inputs; the output is called `action`."""

    inputs: dict[str, int]
    """Names, and how many numbers a row of each has."""
    nodes: list[Node] = field(default_factory=list)
    constants: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict)


class Rows(NamedTuple):
    """A value that depends on the inputs: its name, and its shape without the axis of rows."""

    name: str
    shape: tuple[int, ...]

    @property
    def ndim(self) -> int:
        return len(self.shape)


Value = Any  # an array (a constant), or Rows

ALIKE = {
    **{"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "max": "Max", "min": "Min", "pow": "Pow"},
    **{"add_any": "Add", "neg": "Neg", "abs": "Abs", "sign": "Sign", "floor": "Floor", "ceil": "Ceil"},
    **{"tanh": "Tanh", "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "logistic": "Sigmoid", "sin": "Sin", "cos": "Cos"},
    **{"lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual", "eq": "Equal"},
    **{"and": "And", "or": "Or", "not": "Not"},
}
"""Operations of JAX that ONNX has too, element by element."""
UNCHANGED = ("stop_gradient", "copy", "copy_p", "optimization_barrier")
CALLS = ("jaxpr", "call_jaxpr")  # where an operation that only groups others keeps them
REDUCTIONS = {"reduce_sum": "ReduceSum", "reduce_max": "ReduceMax", "reduce_min": "ReduceMin"}


def trace(function: Callable[..., Any], **sizes: int) -> Graph:
    """The graph of a function of named vectors of these sizes, whose value is one vector."""
    closed = jax.make_jaxpr(function)(*(np.zeros(size, np.float32) for size in sizes.values()))
    tracer = _Tracer(Graph(dict(sizes)))
    inputs = [_empty_or(Rows(name, (size,))) for name, size in sizes.items()]
    (result,) = tracer.run(closed.jaxpr, closed.consts, inputs)
    tracer.add("Identity", [tracer.repeated(result)], np.shape(result) or result.shape, name="action")
    return _pruned(tracer.graph)


class _Tracer:
    """Writes a graph while it follows what JAX has traced."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def run(self, jaxpr: Any, constants: Sequence[Value], inputs: Sequence[Value]) -> list[Value]:
        known: dict[Any, Value] = dict(zip(jaxpr.constvars, constants, strict=True))
        known |= zip(jaxpr.invars, inputs, strict=True)

        def read(atom: Any) -> Value:
            return known[atom] if isinstance(atom, core.Var) else np.asarray(atom.val, atom.aval.dtype)

        for equation in jaxpr.eqns:
            values = self.follow(equation, [read(atom) for atom in equation.invars])
            known |= zip(equation.outvars, values, strict=True)
        return [read(atom) for atom in jaxpr.outvars]

    def follow(self, equation: Any, values: list[Value]) -> Sequence[Value]:
        """The values of one operation."""
        name, params = equation.primitive.name, equation.params
        shapes = [variable.aval.shape for variable in equation.outvars]
        if inner := next((params[key] for key in CALLS if key in params and name not in ("scan", "while")), None):
            return self.run(getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()), values)
        if not any(isinstance(value, Rows) for value in values):
            found = equation.primitive.bind(*values, **params)
            return found if equation.primitive.multiple_results else [found]
        if all(0 in shape for shape in shapes):  # nothing can depend on anything
            return [np.zeros(v.aval.shape, v.aval.dtype) for v in equation.outvars]
        if name == "split":
            starts = np.cumsum([0, *params["sizes"][:-1]])
            return [
                self.slice(values[0], params["axis"], s, s + n) for s, n in zip(starts, params["sizes"], strict=True)
            ]
        return [self.one(name, params, values, equation.outvars[0].aval)]

    def one(self, name: str, params: Mapping[str, Any], values: list[Value], made: Any) -> Value:
        """The value of an operation that has one, of which an input has rows."""
        shape, first = made.shape, values[0]
        if name in ALIKE:
            return self.alike(ALIKE[name], values, shape)
        if name in UNCHANGED:
            return first
        if name in ("reshape", "squeeze", "expand_dims"):
            return self.reshape(first, shape)
        if name in REDUCTIONS:
            axes = np.array(params["axes"], np.int64) + 1
            return self.add(REDUCTIONS[name], [first, axes], shape, keepdims=0) if axes.size else first
        match name:
            case "ne":
                return self.add("Not", [self.alike("Equal", values, shape)], shape)
            case "square":
                return self.add("Mul", [first, first], shape)
            case "integer_pow":
                return self.add("Pow", [first, np.float32(params["y"])], shape)
            case "rsqrt":
                return self.add("Div", [np.float32(1), self.add("Sqrt", [first], shape)], shape)
            case "log1p":
                return self.add("Log", [self.add("Add", [first, np.float32(1)], shape)], shape)
            case "expm1":
                return self.add("Sub", [self.add("Exp", [first], shape), np.float32(1)], shape)
            case "clamp":
                low, value, high = values
                return self.alike("Min", [self.alike("Max", [value, low], shape), high], shape)
            case "select_n":
                which, otherwise, then = values
                return self.alike("Where", [which, then, otherwise], shape)
            case "convert_element_type":
                return self.add("Cast", [first], shape, to=np.dtype(params["new_dtype"]).name)
            case "broadcast_in_dim":
                return self.broadcast(first, shape, params["broadcast_dimensions"])
            case "transpose":
                return self.transpose(first, params["permutation"])
            case "slice" if not any(step != 1 for step in params["strides"] or ()):
                for axis, (start, end) in enumerate(zip(params["start_indices"], params["limit_indices"], strict=True)):
                    first = self.slice(first, axis, start, end)
                return first
            case "concatenate":
                parts = [self.repeated(value) for value in values if 0 not in value.shape]
                return self.add("Concat", parts, shape, axis=params["dimension"] + 1)
            case "argmin" | "argmax" if len(params["axes"]) == 1:
                operation = "ArgMin" if name == "argmin" else "ArgMax"
                found = self.add(operation, [first], shape, axis=params["axes"][0] + 1, keepdims=0)
                return self.add("Cast", [found], shape, to=np.dtype(params["index_dtype"]).name)
            case "dot_general" if not any(params["dimension_numbers"][1]):
                return self.product(values, params["dimension_numbers"][0], shape)
            case "gather":
                return self.gather(values, params, shape)
            case "dynamic_slice":
                return self.pick(values, params["slice_sizes"], shape)
        raise PacerError(
            f"this policy cannot be exported: it uses {name}{dict(params)}, of which {__name__} knows no ONNX operation"
        )

    def add(self, operation: str, values: Sequence[Value], shape: Any, name: str = "", **options: Any) -> Rows:
        """A node, and the value it makes."""
        made = Rows(name or f"v{len(self.graph.nodes)}", tuple(shape))
        self.graph.nodes.append(Node(operation, tuple(map(self.named, values)), made.name, options))
        return made

    def named(self, value: Value) -> str:
        if isinstance(value, Rows):
            return value.name
        array = np.ascontiguousarray(value)
        told = f"{array.dtype}{array.shape}".encode() + array.tobytes()
        name = f"c{hashlib.sha256(told).hexdigest()[:16]}"  # equal constants, also of two graphs, are one
        self.graph.constants[name] = array.reshape(np.shape(value))
        return name

    def alike(self, operation: str, values: Sequence[Value], shape: tuple[int, ...]) -> Rows:
        """Element by element: ONNX aligns last axes, so that only rows of fewer axes need more of them."""
        aligned = [self.reshape(v, (1,) * len(shape)) if isinstance(v, Rows) and not v.ndim else v for v in values]
        return self.add(operation, aligned, shape)

    def reshape(self, value: Value, shape: tuple[int, ...]) -> Value:
        if not isinstance(value, Rows):
            return np.reshape(value, shape)
        return value if value.shape == tuple(shape) else self.add("Reshape", [value, np.array([-1, *shape])], shape)

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        if not isinstance(value, Rows):
            return np.transpose(value, order)
        if list(order) == sorted(order):
            return value
        shape = [value.shape[axis] for axis in order]
        return self.add("Transpose", [value], shape, perm=[0, *(axis + 1 for axis in order)])

    def slice(self, value: Rows, axis: int, start: int, end: int) -> Rows:
        if (start, end) == (0, value.shape[axis]):
            return value
        shape = (*value.shape[:axis], int(end - start), *value.shape[axis + 1 :])
        return self.add("Slice", [value, *(np.array([n], np.int64) for n in (start, end, axis + 1))], shape)

    def broadcast(self, value: Rows, shape: tuple[int, ...], places: Sequence[int]) -> Rows:
        narrow = [1] * len(shape)
        for place, size in zip(places, value.shape, strict=True):
            narrow[place] = size
        value = self.reshape(value, tuple(narrow))
        return value if value.shape == shape else self.add("Expand", [value, np.array([1, *shape])], shape)

    def repeated(self, value: Value) -> Rows:
        """A value in as many rows as the inputs have."""
        if isinstance(value, Rows):
            return value
        rows = self.add("Shape", [Rows(next(iter(self.graph.inputs)), ())], (), start=0, end=1)
        sizes = self.add("Concat", [rows, np.array(value.shape, np.int64)], (), axis=0)
        return self.add("Expand", [np.asarray(value)[None], sizes], value.shape)

    def product(self, values: Sequence[Value], contracted: Any, shape: tuple[int, ...]) -> Rows:
        """A sum of products over some axes of both, as a product of matrices."""
        sums = [list(axes) for axes in contracted]
        if not isinstance(values[0], Rows):  # the rows are wanted first: x y = (y' x')'
            split = np.ndim(values[0]) - len(sums[0])
            turned = self.product(values[::-1], sums[::-1], (*shape[split:], *shape[:split]))
            count = len(shape)
            return self.transpose(turned, [*range(count - split, count), *range(count - split)])
        left, right = values
        kept = [[axis for axis in range(v.ndim) if axis not in axes] for v, axes in zip(values, sums, strict=True)]
        inner = int(np.prod([left.shape[axis] for axis in sums[0]]))
        front, back = ([v.shape[axis] for axis in axes] for v, axes in zip(values, kept, strict=True))
        left = self.reshape(self.transpose(left, [*kept[0], *sums[0]]), (*front, inner))
        right = self.reshape(self.transpose(right, [*sums[1], *kept[1]]), (inner, int(np.prod(back))))
        if isinstance(right, Rows) and not front:  # each row has a matrix of its own
            left = self.reshape(left, (1, inner))
        wide = (*left.shape[:-1], right.shape[-1])
        return self.reshape(self.add("MatMul", [left, right], wide), shape)

    def gather(self, values: Sequence[Value], params: Mapping[str, Any], shape: tuple[int, ...]) -> Rows:
        """Places along one axis: the same in all others, or each its own."""
        numbers, (value, places) = params["dimension_numbers"], values
        axis = numbers.start_index_map[0]
        chosen = places.shape[:-1]
        others = tuple(a for a in range(len(value.shape)) if a != axis)
        plain = len(numbers.start_index_map) == 1 and numbers.collapsed_slice_dims == (axis,)
        if plain and numbers.operand_batching_dims == others == numbers.start_indices_batching_dims:
            whole = [self.repeated(value), self.add("Cast", [self.repeated(places)], places.shape, to="int64")]
            return self.add("GatherElements", [whole[0], self.reshape(whole[1], chosen)], shape, axis=axis + 1)
        whole_slices = all(params["slice_sizes"][a] == value.shape[a] for a in others)
        behind = tuple(range(len(chosen), len(shape)))
        if not (plain and whole_slices and numbers.offset_dims == behind and not numbers.operand_batching_dims):
            raise PacerError(f"this policy cannot be exported: {__name__} knows no ONNX operation for gather{params}")
        return self.reshape(self.rows_of(value, axis, places), shape)

    def pick(self, values: Sequence[Value], sizes: Sequence[int], shape: tuple[int, ...]) -> Rows:
        """A slice one wide at a place that depends on the inputs, along one axis."""
        value, *starts = values
        (axis, *more) = [a for a, size in enumerate(sizes) if size != value.shape[a]] or [0]
        if more or sizes[axis] != 1:
            raise PacerError(f"this policy cannot be exported: {__name__} cannot slice {sizes} out of {value.shape}")
        place = starts[axis]
        return self.reshape(self.rows_of(value, axis, self.reshape(self.repeated(place), (1, 1))), shape)

    def rows_of(self, value: Value, axis: int, places: Value) -> Rows:
        """What is at some places (..., 1) of an axis, which comes first."""
        count = int(np.prod(places.shape))
        order = [axis, *(a for a in range(len(value.shape)) if a != axis)]
        value = self.transpose(self.repeated(value), order)
        places = self.add("Cast", [self.reshape(self.repeated(places), (count, 1))], (count, 1), to="int64")
        return self.add("GatherND", [value, places], (count, *value.shape[1:]), batch_dims=1)


def _empty_or(value: Rows) -> Value:
    """An input without a number is a constant."""
    return value if value.shape != (0,) else np.zeros(0, np.float32)


def _pruned(graph: Graph) -> Graph:
    """The graph without what leads nowhere."""
    wanted, kept = {"action"}, []
    for node in reversed(graph.nodes):
        if node.output in wanted:
            kept.append(node)
            wanted |= set(node.inputs)
    constants = {name: value for name, value in graph.constants.items() if name in wanted}
    return Graph(graph.inputs, kept[::-1], constants)
