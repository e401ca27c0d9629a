#include "report/suppressions.hpp"

#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/options.hpp"
#include "base/os.hpp"
#include "engine/stacks.hpp"
#include "report/modules.hpp"

namespace fencepost::rt {
namespace {

constexpr std::size_t most_text = 1U << 16;
char text[most_text];
bool is_read = false;

void read_file() {
    is_read = true;
    const char* const path = options().suppressions;
    if (!path) return;
    const int file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0));
    if (file < 0) fail_usage("the suppressions cannot be read: ", path);
    std::size_t used = 0;
    for (;;) {
        const long bytes = syscall(SYS_read, file, text + used, most_text - 1 - used);
        if (bytes <= 0) break;
        used += static_cast<std::size_t>(bytes);
    }
    syscall(SYS_close, file);
    if (used == most_text - 1) fail_usage("the suppressions are longer than 64 KiB: ", path);
}

bool contains(const char* whole, const char* part, std::size_t length) {
    if (!whole || length == 0) return false;
    for (; *whole; ++whole)
        if (!std::strncmp(whole, part, length)) return true;
    return false;
}

}  // namespace

bool is_suppressed(const char* kind, std::uint32_t stack) {
    if (!is_read) read_file();
    if (!*text) return false;
    std::uintptr_t frames[deepest_stack];
    const unsigned count = frames_of(stack, frames, deepest_stack);
    for (const char* line = text; *line;) {
        const std::size_t length = std::strcspn(line, "\r\n");
        const char* const colon = static_cast<const char*>(std::memchr(line, ':', length));
        if (colon && *line != '#') {
            const std::size_t word = static_cast<std::size_t>(colon - line);
            const bool applies = (word == 3 && !std::strncmp(line, "all", 3)) ||
                                 (word == std::strlen(kind) && !std::strncmp(line, kind, word));
            for (unsigned i = 0; applies && i < count; ++i) {
                const Module* const module = module_of(frames[i]);
                Dl_info info;
                const bool named = dladdr(reinterpret_cast<void*>(frames[i]), &info) && info.dli_sname;
                if ((module && contains(module->path, colon + 1, length - word - 1)) ||
                    (named && contains(info.dli_sname, colon + 1, length - word - 1)))
                    return true;
            }
        }
        line += length;
        while (*line == '\n' || *line == '\r') ++line;
    }
    return false;
}

}  // namespace fencepost::rt
