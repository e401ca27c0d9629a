// Handlers are called through `arrive`, which holds back what comes while the thread is inside the runtime.
#include <signal.h>

#include <cerrno>

#include "base/busy.hpp"
#include "base/os.hpp"
#include "real.hpp"

namespace fencepost::intercept {

using rt::busy;
using rt::held_back;

namespace {

constexpr int capacity = 4;

struct Waiting {
    siginfo_t information;
    int signal;
};
thread_local Waiting waiting[capacity] __attribute__((tls_model("initial-exec")));

struct sigaction handlers[NSIG];  // what the program has installed
rt::SpinLock lock;

// A fault in the middle of the runtime cannot wait: the instruction would only fault again.
bool is_fault(int signal, const siginfo_t* information) {
    const bool may_be = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
                        signal == SIGTRAP || signal == SIGSYS || signal == SIGABRT;
    return may_be && information != nullptr && (information->si_code > 0 || signal == SIGABRT);
}

void call(int signal, siginfo_t* information, void* context) {
    const struct sigaction handler = handlers[signal];
    if ((handler.sa_flags & SA_SIGINFO) != 0) {
        handler.sa_sigaction(signal, information, context);
    } else if (handler.sa_handler != SIG_DFL && handler.sa_handler != SIG_IGN) {
        handler.sa_handler(signal);
    }
}

void arrive(int signal, siginfo_t* information, void* context) {
    if (busy == 0 || is_fault(signal, information)) {
        const int error = errno;
        call(signal, information, context);
        errno = error;
        return;
    }
    for (int i = 0; i < held_back; ++i) {
        if (waiting[i].signal == signal) return;  // as the kernel does with a signal that is pending already
    }
    if (held_back == capacity) {
        rt::say("a signal is lost: too many arrived at once");
        return;
    }
    waiting[held_back].signal = signal;
    waiting[held_back].information = *information;
    ++held_back;
}

void deliver() {
    while (busy == 0 && held_back > 0) {
        Waiting next = waiting[--held_back];
        sigset_t blocked;
        sigset_t before;
        blocked = handlers[next.signal].sa_mask;
        if ((handlers[next.signal].sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, next.signal);
        pthread_sigmask(SIG_BLOCK, &blocked, &before);
        const int error = errno;
        call(next.signal, &next.information, nullptr);
        errno = error;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
}

__attribute__((constructor)) void begin() { rt::deliver_signals = deliver; }

}  // namespace

}  // namespace fencepost::intercept

using namespace fencepost;
using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR int sigaction(int signal, const struct sigaction* wanted, struct sigaction* old) {
    if (signal < 1 || signal >= NSIG) return REAL(sigaction)(signal, wanted, old);
    const rt::Guard guard(lock);
    struct sigaction before{};
    if (wanted == nullptr) {
        const int result = REAL(sigaction)(signal, nullptr, &before);
        if (result == 0 && old != nullptr) *old = before.sa_sigaction == arrive ? handlers[signal] : before;
        return result;
    }
    struct sigaction real = *wanted;
    const bool is_function =
        (wanted->sa_flags & SA_SIGINFO) != 0 || (wanted->sa_handler != SIG_DFL && wanted->sa_handler != SIG_IGN);
    const struct sigaction previous = handlers[signal];
    if (is_function) {
        handlers[signal] = *wanted;
        real.sa_sigaction = arrive;
        real.sa_flags |= SA_SIGINFO;
    }
    const int result = REAL(sigaction)(signal, &real, &before);
    if (result != 0) {
        handlers[signal] = previous;
    } else if (old != nullptr) {
        *old = before.sa_sigaction == arrive ? previous : before;
    }
    return result;
}

namespace {

sighandler_t install(int signal, sighandler_t handler, int flags) {
    struct sigaction wanted{};
    struct sigaction before{};
    wanted.sa_handler = handler;
    wanted.sa_flags = flags;
    sigemptyset(&wanted.sa_mask);
    return sigaction(signal, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

}  // namespace

FENCEPOST_INTERCEPTOR sighandler_t signal(int number, sighandler_t handler) {
    return install(number, handler, SA_RESTART);
}

FENCEPOST_INTERCEPTOR sighandler_t sysv_signal(int number, sighandler_t handler) {
    return install(number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}
