"""C litmus tests: one function for each thread, shared locations as its parameters."""
