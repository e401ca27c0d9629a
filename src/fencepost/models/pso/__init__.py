"""The model pso."""
