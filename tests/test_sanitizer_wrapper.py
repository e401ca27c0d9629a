"""fencepost cc and fencepost c++ stand in for a compiler, whatever a build system asks of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.compilers import needs_runtime, plus_plus, required

from fencepost.sanitizer import installation, wrapper
from fencepost.sanitizer.arguments import expanded, read

PROGRAM = """\
#include <stdatomic.h>
#include <stdio.h>
static atomic_int x;
int main(void) {
  atomic_store_explicit(&x, 1, memory_order_release);
  atomic_thread_fence(memory_order_seq_cst);
  printf("%d\\n", atomic_load(&x));
  return 0;
}
"""

PROGRAM_CXX = """\
#include <atomic>
#include <iostream>
static std::atomic<int> x;
int main() {
  x.store(1, std::memory_order_release);
  std::cout << x.load() << std::endl;
}
"""


def fencepost_cc(*arguments: object, language: str = "cc", **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fencepost", language, *map(str, arguments)]
    settings = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, env=settings, check=False)


def built(*arguments: object, language: str = "cc", **environment: str) -> None:
    done = fencepost_cc(*arguments, language=language, **environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def run(program: Path) -> str:
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def has_our_runtime(program: Path) -> bool:
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return " T __tsan_init" in symbols and "tsan" not in linked


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.c"
    path.write_text(PROGRAM)
    return path


@needs_runtime
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_compiles_and_links_in_one_step_and_in_two(tmp_path, source, compiler, level):
    built("-Wall", "-Werror", level, source, "-o", tmp_path / "one", FENCEPOST_CC=compiler)
    built("-Wall", "-Werror", level, "-c", source, "-o", tmp_path / "a.o", FENCEPOST_CC=compiler)
    built(tmp_path / "a.o", "-o", tmp_path / "two", FENCEPOST_CC=compiler)
    for program in (tmp_path / "one", tmp_path / "two"):
        assert run(program) == "1\n"
        assert has_our_runtime(program)


@needs_runtime
def test_cxx(tmp_path, compiler):
    source = tmp_path / "a.cpp"
    source.write_text(PROGRAM_CXX)
    built("-std=c++20", source, "-o", tmp_path / "a", language="c++", FENCEPOST_CXX=plus_plus(compiler))
    assert run(tmp_path / "a") == "1\n"
    assert has_our_runtime(tmp_path / "a")


@needs_runtime
def test_flags_of_the_sanitizer_that_the_user_gives_do_not_bring_its_runtime(tmp_path, source, compiler):
    built("-fsanitize=thread", source, "-o", tmp_path / "a", FENCEPOST_CC=compiler)
    assert has_our_runtime(tmp_path / "a")


@needs_runtime
def test_language_option_does_not_take_the_runtime_for_source(tmp_path, source):
    text = tmp_path / "text"
    text.write_text(PROGRAM)
    built("-x", "c", text, "-o", tmp_path / "a")
    assert run(tmp_path / "a") == "1\n"


@needs_runtime
def test_shared_library_uses_the_runtime_of_the_program(tmp_path, compiler):
    (tmp_path / "lib.c").write_text("static int calls; int call(void) { return ++calls; }\n")
    (tmp_path / "main.c").write_text("int call(void); int main(void) { return call() - 1; }\n")
    library = tmp_path / "libcall.so"
    flags = ("-Wl,-z,defs", "-Wl,--no-undefined")  # which no sanitizer could fulfil
    built("-shared", "-fPIC", *flags, tmp_path / "lib.c", "-o", library, FENCEPOST_CC=compiler)
    built(tmp_path / "main.c", library, f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "a", FENCEPOST_CC=compiler)
    run(tmp_path / "a")
    assert has_our_runtime(tmp_path / "a")


@needs_runtime
@pytest.mark.parametrize("runtime", ["static", "shared"])
def test_library_that_is_loaded_later_finds_the_runtime(tmp_path, runtime):
    (tmp_path / "plug.c").write_text(
        "#include <stdatomic.h>\nstatic atomic_int x; int plug(void) { return atomic_fetch_add(&x, 1); }\n"
    )
    (tmp_path / "main.c").write_text(
        "#include <dlfcn.h>\n#include <stdio.h>\nint main(int count, char **names) {\n"
        "  void *handle = dlopen(names[count - 1], RTLD_NOW);\n"
        "  if (!handle) { puts(dlerror()); return 2; }\n"
        '  return ((int (*)(void))dlsym(handle, "plug"))();\n}\n'
    )
    built("-shared", "-fPIC", tmp_path / "plug.c", "-o", tmp_path / "plug.so")
    built(f"--fencepost-runtime={runtime}", tmp_path / "main.c", "-o", tmp_path / "a")
    done = subprocess.run([tmp_path / "a", tmp_path / "plug.so"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("question", ["--version", "-dumpmachine", "-print-search-dirs", "-dumpversion", "-v"])
def test_questions_get_the_compiler_s_own_answer(question):
    ours = fencepost_cc(question)
    theirs = subprocess.run(["cc", question], capture_output=True, text=True, check=False)
    assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout)


def test_preprocessing_knows_the_tool(source):
    done = fencepost_cc("-E", "-dM", source)
    assert done.returncode == 0
    assert "#define __FENCEPOST__ 1" in done.stdout
    assert "#define __SANITIZE_THREAD__ 1" in done.stdout


def test_dependencies(source):
    done = fencepost_cc("-MM", source)
    assert (done.returncode, done.stdout.split(":")[0]) == (0, "a.o")


def test_assembly(tmp_path, source):
    built("-S", source, "-o", tmp_path / "a.s")
    assert "__tsan_atomic32_store" in (tmp_path / "a.s").read_text()


@needs_runtime
def test_response_files(tmp_path, source):
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.write_text(f'"-DQUOTED=\\"a b\\"" {source}')
    outer.write_text(f"-O1 '@{inner}'\n-o {tmp_path / 'a'}")
    built(f"@{outer}")
    assert has_our_runtime(tmp_path / "a")


def test_exit_codes_and_messages_are_the_compiler_s(tmp_path):
    wrong = tmp_path / "wrong.c"
    wrong.write_text("int main(void) { return nothing; }\n")
    ours = fencepost_cc("-c", wrong, "-o", tmp_path / "a.o")
    theirs = subprocess.run(["cc", "-c", wrong, "-o", tmp_path / "a.o"], capture_output=True, text=True, check=False)
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr)


def test_fully_static_programs_are_refused(tmp_path, source):
    done = fencepost_cc("-static", source, "-o", tmp_path / "a")
    assert done.returncode == 3
    assert "fully static programs cannot be checked" in done.stderr
    assert "hint: link without -static" in done.stderr


def test_a_compiler_that_is_not_there():
    done = fencepost_cc("a.c", FENCEPOST_CC="no-such-compiler")
    assert done.returncode == 3
    assert "there is no compiler no-such-compiler" in done.stderr
    assert "FENCEPOST_CC" in done.stderr


def test_a_compiler_that_is_the_wrapper(tmp_path, source):
    script = tmp_path / "cc"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m fencepost cc "$@"\n')
    script.chmod(0o755)
    done = fencepost_cc("-c", source, "-o", tmp_path / "a.o", FENCEPOST_CC=str(script))
    assert done.returncode == 3
    assert "the compiler that fencepost calls is fencepost again" in done.stderr


def test_unknown_options_of_ours():
    done = fencepost_cc("--fencepost-runtim=shared", "a.c")
    assert done.returncode == 3
    assert "unknown option --fencepost-runtim=shared" in done.stderr


def test_help_and_header(source, tmp_path):
    assert "fencepost cc -O2 queue.c" in fencepost_cc("--help").stdout
    folder = Path(fencepost_cc("--fencepost-print-include").stdout.strip())
    assert folder == Path(installation.INCLUDE)
    assert (folder / "fencepost.h").is_file()


def test_verbose_prints_a_command_with_the_user_s_options_after_ours(source, tmp_path):
    done = fencepost_cc("--fencepost-verbose", "-c", "-g0", source, "-o", tmp_path / "a.o")
    assert done.returncode == 0
    words = done.stderr.split()
    assert words.index("-fsanitize=thread") < words.index(str(source))
    assert "-g" not in words


def test_compiler_with_words_of_its_own(source, tmp_path):
    built("-c", source, "-o", tmp_path / "a.o", FENCEPOST_CC="env gcc -O1")


def test_what_a_command_line_asks_for(tmp_path):
    assert not read(["-v"]).has_input
    assert not read(["-o", "a", "-I", "x"]).has_input
    assert read(["a.o"]).links
    assert read(["-", "-x", "c"]).links
    assert read(["-lm"]).links
    assert not read(["-c", "a.c"]).links
    assert not read(["a.c", "-fsyntax-only"]).links
    assert not read(["--version", "a.c"]).links
    assert read(["-shared", "a.c"]).shared
    assert read(["a.c", "-static-pie"]).static
    assert read(["a.c", "-ggdb3"]).has_debug_info
    assert list(expanded(["@nothing-there"])) == ["@nothing-there"]


def test_gcc_and_clang_are_told_apart():
    for name in ("gcc", "clang", "g++", "clang++"):
        required(name)
        path = shutil.which(name)
        assert path is not None
        assert wrapper.is_clang([path]) == ("clang" in name)
    assert not wrapper.is_clang([shutil.which("cc") or "", "-O1"])


@needs_runtime
@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make(tmp_path, source):
    (tmp_path / "Makefile").write_text("a: a.o\n\t$(CC) $(LDFLAGS) $^ -o $@\n")
    command = f"{sys.executable} -m fencepost cc"
    subprocess.run(["make", f"CC={command}", "a"], cwd=tmp_path, check=True, capture_output=True)
    assert has_our_runtime(tmp_path / "a")


@needs_runtime
@pytest.mark.parametrize("one_word", [False, True])
def test_cmake(tmp_path, source, one_word):
    cmake = shutil.which("cmake") or os.path.join(os.path.dirname(sys.executable), "cmake")
    if not os.path.exists(cmake):
        pytest.skip("there is no cmake")
    programs = os.path.dirname(sys.executable)
    if not os.path.exists(os.path.join(programs, "fencepost-c++")):
        pytest.skip("fencepost's programs are not installed beside this Python")
    (tmp_path / "b.cpp").write_text(PROGRAM_CXX)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(t C CXX)\nset(CMAKE_CXX_STANDARD 20)\n"
        "find_package(Threads REQUIRED)\nadd_executable(a a.c)\nadd_executable(b b.cpp)\n"
        "target_link_libraries(b Threads::Threads)\n"
    )
    names = ("fencepost-cc", "fencepost-c++") if one_word else ("fencepost cc", "fencepost c++")
    settings = {**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"], "CC": names[0], "CXX": names[1]}
    for step in (["-S", ".", "-B", "build"], ["--build", "build"]):
        done = subprocess.run([cmake, *step], cwd=tmp_path, env=settings, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    for name in ("a", "b"):
        assert run(tmp_path / "build" / name) == "1\n"
        assert has_our_runtime(tmp_path / "build" / name)
