"""The model power."""
