"""The command line: one file per verb, each with `configure(parser)` and `run(arguments) -> exit code`."""
