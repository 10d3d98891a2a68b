"""Trained policies for programs without JAX: ONNX files, and a player that needs NumPy alone."""
