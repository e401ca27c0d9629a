#include "report/modules.hpp"

#include <cstring>
#include <link.h>
#include <unistd.h>

namespace fencepost::rt {
namespace {

constexpr unsigned most_modules = 512;
Module modules[most_modules];
unsigned known = 0;

int add(dl_phdr_info* info, std::size_t, void*) {
    std::uintptr_t begin = UINTPTR_MAX;
    std::uintptr_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& header = info->dlpi_phdr[i];
        if (header.p_type != PT_LOAD) continue;
        const std::uintptr_t from = info->dlpi_addr + header.p_vaddr;
        if (from < begin) begin = from;
        if (from + header.p_memsz > end) end = from + header.p_memsz;
    }
    for (unsigned i = 0; i < known; ++i)
        if (modules[i].base == info->dlpi_addr && modules[i].end == end) return 0;
    if (known == most_modules || end == 0) return 0;
    Module& module = modules[known];
    module.id = known++;
    module.base = info->dlpi_addr;
    module.begin = begin;
    module.end = end;
    if (info->dlpi_name && *info->dlpi_name) {
        std::strncpy(module.path, info->dlpi_name, sizeof module.path - 1);
    } else {
        const long length = readlink("/proc/self/exe", module.path, sizeof module.path - 1);
        module.path[length > 0 ? length : 0] = 0;
    }
    return 0;
}

Module* find(std::uintptr_t address) {
    for (unsigned i = known; i-- > 0;)  // newer ones may lie where older ones were
        if (address >= modules[i].begin && address < modules[i].end) return &modules[i];
    return nullptr;
}

}  // namespace

Module* module_of(std::uintptr_t address) {
    if (Module* const module = find(address)) return module;
    dl_iterate_phdr(add, nullptr);
    return find(address);
}

}  // namespace fencepost::rt
