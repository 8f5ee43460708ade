// A library for LD_PRELOAD: the time of day is the number of microseconds in the file PINNED_CLOCK, which the test
// changes. Without that file it is the real one.

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *pinned;

__attribute__((constructor)) static void map_clock(void) {
    const char *path = getenv("PINNED_CLOCK");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file < 0) return;
    void *page = mmap(0, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) pinned = page;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    if (!pinned) {
        struct timespec real;
        clock_gettime(CLOCK_REALTIME, &real);
        now->tv_sec = real.tv_sec;
        now->tv_usec = real.tv_nsec / 1000;
        return 0;
    }
    int64_t microseconds = *pinned;
    now->tv_sec = microseconds / 1000000;
    now->tv_usec = microseconds % 1000000;
    return 0;
}
