"""Running C and C++ programs under the sanitizer: compile wrapper, launcher, symboliser, and what the log says."""
