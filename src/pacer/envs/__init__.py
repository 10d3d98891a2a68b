"""Environments: finding them by name, and our own. Nothing here knows of JAX."""
