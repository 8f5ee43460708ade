#define _GNU_SOURCE
#include "CPriority.h"

#ifdef __linux__

#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int lowest_nice = -20;

void parley_set_lowest_nice(int nice) { atomic_store(&lowest_nice, nice > 0 ? nice : -20); }

/// Takes the place of the C library's function, for libdispatch too: the linker binds every reference to this one.
int setpriority(__priority_which_t which, id_t who, int nice) {
    int lowest = atomic_load(&lowest_nice);
    return (int)syscall(SYS_setpriority, which, who, nice < lowest ? lowest : nice);
}

#else

void parley_set_lowest_nice(int nice) { (void)nice; }

#endif
