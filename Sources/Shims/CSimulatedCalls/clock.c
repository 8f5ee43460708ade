#define _GNU_SOURCE
#include "raw_call.h"

#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static uint64_t calls;

uint64_t simulated_clock_calls(void) { return calls; }

static int64_t nanoseconds(clockid_t clock) {
    calls += 1;
    bool is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
    return simulator_now() + (is_wall ? simulator_wall_offset() : 0);
}

int clock_gettime(clockid_t clock, struct timespec *result) {
    if (!simulator_is_active()) return (int)raw_call(SYS_clock_gettime, clock, (long)result, 0, 0, 0, 0);
    int64_t now = nanoseconds(clock);
    result->tv_sec = now / 1000000000;
    result->tv_nsec = now % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    result->tv_sec = now.tv_sec;
    result->tv_usec = now.tv_nsec / 1000;
    if (zone) memset(zone, 0, sizeof(struct timezone));
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
