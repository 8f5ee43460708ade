#define _GNU_SOURCE
#include "raw_call.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

static uint64_t calls;

uint64_t simulated_random_calls(void) { return calls; }

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
    if (!simulator_is_active()) return raw_call(SYS_getrandom, (long)bytes, (long)count, flags, 0, 0, 0);
    calls += 1;
    for (size_t place = 0; place < count; place += 8) {
        uint64_t value = simulator_next_random();
        memcpy((char *)bytes + place, &value, count - place < 8 ? count - place : 8);
    }
    return (ssize_t)count;
}

int getentropy(void *bytes, size_t count) { return getrandom(bytes, count, 0) < 0 ? -1 : 0; }

void arc4random_buf(void *bytes, size_t count) { getrandom(bytes, count, 0); }

uint32_t arc4random(void) {
    uint32_t value = 0;
    getrandom(&value, sizeof value, 0);
    return value;
}

/// Swift's random numbers come from `syscall`.
long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (simulator_is_active() && number == SYS_getrandom) return getrandom((void *)a, (size_t)b, (unsigned)c);
    if (simulator_is_active() && number == SYS_clock_gettime) return clock_gettime((clockid_t)a, (struct timespec *)b);
    return raw_call(number, a, b, c, d, e, f);
}

long raw_call(long number, long a, long b, long c, long d, long e, long f) {
    long result;
#if defined(__x86_64__)
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long selector __asm__("x8") = number;
    register long first __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = d;
    register long fifth __asm__("x4") = e;
    register long sixth __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(first)
                     : "r"(selector), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "memory");
    result = first;
#else
#error "the simulator runs on x86-64 and arm64"
#endif
    if (result >= 0 || result < -4095) return result;
    errno = (int)-result;
    return -1;
}
