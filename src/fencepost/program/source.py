"""Texts that people give us: how they are read, and how what is wrong with them is told."""

from __future__ import annotations

from pathlib import Path


class InputError(Exception):
    """The input cannot be read as a program: where, what is wrong and, if there is one, a way out.

    `line` and `column` count from 1; both are None if the error is about the file as a whole.
    """

    def __init__(
        self, message: str, *, file: str, line: int | None = None, column: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.hint = hint

    def __str__(self) -> str:
        place = [self.file, *(str(number) for number in (self.line, self.column) if number is not None)]
        return f"{':'.join(place)}: error: {self.message}"

    def render(self, source: str | None = None) -> str:
        """The message, the line of `source` it is about with a caret below, and the hint."""
        lines = [str(self)]
        text = source.splitlines() if source is not None else []
        if self.line is not None and self.column is not None and self.line <= len(text):
            shown = "".join(
                c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text[self.line - 1]
            )
            margin = "".join("\t" if c == "\t" else " " for c in shown[: self.column - 1])
            lines += [f"    {shown}", f"    {margin}^"]
        if self.hint is not None:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


def read_source(path: str | Path, what: str = "program") -> str:
    """The text in the file `path`. Raises InputError if it is none."""
    name = str(path)
    try:
        data = Path(path).read_bytes()
    except IsADirectoryError:
        raise InputError(f"this is a directory, not a {what}", file=name) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL character
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"cannot read the file: {reason}", file=name) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode()  # without the byte-order mark, as `start` counts
        lines = f"{before}.".splitlines()
        raise InputError(
            f"byte 0x{error.object[error.start]:02x} is not UTF-8 text",
            file=name,
            line=len(lines),
            column=len(lines[-1]),
        ) from None
