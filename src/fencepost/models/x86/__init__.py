"""The model x86."""
