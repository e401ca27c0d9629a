/* Runs a program; prints seconds by the clock, processor seconds, KiB at most and the exit code on stderr.
   It is small itself: a child counts the memory that its parent had when it was made. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

int main(int count, char **values) {
  if (count < 2) return 3;
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const pid_t child = fork();
  if (child < 0) return 4;
  if (child == 0) {
    execv(values[1], values + 1);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child) return 4;
  clock_gettime(CLOCK_MONOTONIC, &end);
  fprintf(stderr, "\nmeasured %.6f %.6f %ld %d\n",
          (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
          seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss,
          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 0;
}
