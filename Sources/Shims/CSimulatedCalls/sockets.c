#define _GNU_SOURCE
#include "raw_call.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

// The calls of `KernelSocket` and `SocketPoller`. Descriptors below `simulator_first_descriptor` are the kernel's.

static bool is_simulated(int descriptor) { return descriptor >= simulator_first_descriptor; }

static long completed(long result) {
    if (result >= 0) return result;
    errno = (int)-result;
    return -1;
}

int epoll_create1(int flags) {
    const simulator_kernel *kernel = simulator_get_kernel();
    if (kernel) return (int)completed(kernel->epoll_create());
    return (int)raw_call(SYS_epoll_create1, flags, 0, 0, 0, 0, 0);
}

int epoll_ctl(int epoll, int operation, int descriptor, struct epoll_event *event) {
    if (!is_simulated(epoll)) {
        return (int)raw_call(SYS_epoll_ctl, epoll, operation, descriptor, (long)event, 0, 0);
    }
    return (int)completed(simulator_get_kernel()->epoll_control(
        epoll, operation, descriptor, event ? event->events : 0, event ? event->data.u64 : 0));
}

int epoll_wait(int epoll, struct epoll_event *events, int limit, int timeout) {
    if (!is_simulated(epoll)) {
        return (int)raw_call(SYS_epoll_pwait, epoll, (long)events, limit, timeout, 0, 8);
    }
    enum { most = 256 };
    uint32_t kinds[most];
    uint64_t data[most];
    int count = simulator_get_kernel()->epoll_wait(epoll, kinds, data, limit < most ? limit : most);
    for (int index = 0; index < count; index++) {
        events[index].events = kinds[index];
        events[index].data.u64 = data[index];
    }
    return (int)completed(count);
}

ssize_t recv(int descriptor, void *bytes, size_t count, int flags) {
    if (is_simulated(descriptor)) return completed(simulator_get_kernel()->receive(descriptor, bytes, count));
    return raw_call(SYS_recvfrom, descriptor, (long)bytes, (long)count, flags, 0, 0);
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
    if (is_simulated(descriptor)) return completed(simulator_get_kernel()->send(descriptor, bytes, count));
    return raw_call(SYS_sendto, descriptor, (long)bytes, (long)count, flags, 0, 0);
}

int shutdown(int descriptor, int how) {
    if (is_simulated(descriptor)) return (int)completed(simulator_get_kernel()->shut_down(descriptor));
    return (int)raw_call(SYS_shutdown, descriptor, how, 0, 0, 0, 0);
}

int close(int descriptor) {
    if (is_simulated(descriptor)) return (int)completed(simulator_get_kernel()->close(descriptor));
    return (int)raw_call(SYS_close, descriptor, 0, 0, 0, 0, 0);
}
