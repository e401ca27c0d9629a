"""Sequential consistency."""
