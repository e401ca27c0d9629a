"""The model armv7."""
