"""Trained policies for programs without JAX: ONNX files, and a player that needs NumPy alone."""

from pacer.export.folder import Exported, export

__all__ = ["Exported", "export"]
