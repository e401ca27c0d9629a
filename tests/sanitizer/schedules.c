/* Small programs for the tests of controlled scheduling. CASE, an environment variable, names one. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void *(*body)(void *);

static void run(body one, body other) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

/* Store buffering: each thread may miss the other one's store. */
static atomic_int x, y;
static void *store_x(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    (void)atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}
static void *store_y(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    (void)atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

/* Two mutexes, taken in different orders. */
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static void *first_second(void *unused) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return unused;
}
static void *second_first(void *unused) {
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return unused;
}

/* An update that gets lost crashes the program. */
static atomic_int counter;
static void *count(void *unused) {
    for (int i = 0; i < 3; ++i) {
        const int seen = atomic_load(&counter);
        atomic_store(&counter, seen + 1);
    }
    return unused;
}

/* What it does depends on something that is not part of the schedule: CHANGED in the environment. */
static void *changes(void *unused) {
    for (int i = 0; i < (getenv("CHANGED") ? 5 : 3); ++i) atomic_fetch_add(&counter, 1);
    return unused;
}

/* Nobody ever sets the flag. */
static atomic_int flag;
static void *spins(void *unused) {
    while (!atomic_load(&flag)) {
    }
    return unused;
}

/* A loop-free program that is robust: message passing. */
static void *sends(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_release);
    return unused;
}
static void *receives(void *unused) {
    if (atomic_load_explicit(&y, memory_order_acquire)) (void)atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

/* One thread reads from a pipe what the other one writes, which nobody intercepts. */
static int ends[2];
static void *reads(void *unused) {
    char byte;
    return read(ends[0], &byte, 1) == 1 ? unused : NULL;
}
static void *writes(void *unused) {
    (void)atomic_load(&flag);
    return write(ends[1], "x", 1) == 1 ? unused : NULL;
}

int main(void) {
    const char *wanted = getenv("CASE");
    if (strcmp(wanted, "sb") == 0) run(store_x, store_y);
    if (strcmp(wanted, "mp") == 0) run(sends, receives);
    if (strcmp(wanted, "deadlock") == 0) run(first_second, second_first);
    if (strcmp(wanted, "spins") == 0) run(spins, spins);
    if (strcmp(wanted, "pipe") == 0 && pipe(ends) == 0) run(reads, writes);
    if (strcmp(wanted, "changes") == 0) run(changes, changes);
    if (strcmp(wanted, "crash") == 0) {
        run(count, count);
        if (atomic_load(&counter) < 6) abort();
    }
    return 0;
}
