// Where code lies: addresses as offsets into the program and its libraries.
#pragma once

#include <cstdint>

namespace fencepost::rt {

struct Module {
    unsigned id;
    std::uintptr_t base;
    std::uintptr_t begin, end;  // of its code
    char path[512];
    bool is_logged;
};

// Null: in no module (code made at run time).
Module* module_of(std::uintptr_t address);

}  // namespace fencepost::rt
