"""python -m fencepost"""

from .cli.main import entry

entry()
