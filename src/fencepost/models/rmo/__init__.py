"""The model rmo."""
