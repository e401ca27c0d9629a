"""The model rc11."""
