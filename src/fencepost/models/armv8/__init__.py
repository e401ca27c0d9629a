"""The model armv8."""
