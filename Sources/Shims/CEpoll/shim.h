#pragma once
#include <linux/aio_abi.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

// The C library has no functions for these calls, and Swift cannot call `syscall`, whose arguments vary.

static inline long parley_io_setup(unsigned requests, aio_context_t *context) {
    return syscall(SYS_io_setup, requests, context);
}

static inline long parley_io_destroy(aio_context_t context) {
    return syscall(SYS_io_destroy, context);
}

static inline long parley_io_submit(aio_context_t context, struct iocb *request) {
    return syscall(SYS_io_submit, context, 1, &request);
}

static inline long parley_io_getevents(aio_context_t context, struct io_event *event) {
    return syscall(SYS_io_getevents, context, 0, 1, event, 0);
}
