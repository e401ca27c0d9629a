#include "real.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

#include "base/os.hpp"

namespace fencepost::intercept {

void* find_next(const char* name, const char* version, bool optional) {
    void* found = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : nullptr;
    if (found == nullptr) found = dlsym(RTLD_NEXT, name);
    if (found == nullptr && !optional) {
        const char* const parts[] = {"fencepost: the C library has no function ", name, ", which the program calls\n"};
        for (const char* part : parts) {
            if (write(2, part, strlen(part)) < 0) break;
        }
        rt::leave_process(4);
    }
    return found;
}

}  // namespace fencepost::intercept
