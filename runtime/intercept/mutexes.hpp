// Used by condition variables and C11 threads too.
#pragma once

#include <pthread.h>
#include <time.h>

namespace fencepost::intercept {

int lock_mutex(pthread_mutex_t* mutex);
int unlock_mutex(pthread_mutex_t* mutex);

// The edges of a mutex that a wait on a condition variable lets go, and takes again.
void mutex_taken(pthread_mutex_t* mutex, int result);

}  // namespace fencepost::intercept
