// Sockets, input and latencies of the programs here. Programs of the same user speak to each other, so whatever is
// unexpected ends the program.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 1 << 16, EVENTS = 256, MAXIMUM_DESCRIPTORS = 20000 };

typedef struct {
    int tag;  // the program's, -1 at first
    size_t filled;
    uint8_t bytes[BUFFER];
} Input;

static Input *inputs[MAXIMUM_DESCRIPTORS];
static int poller;

static inline void check(int condition, const char *what) {
    if (condition) return;
    perror(what);
    exit(1);
}

static inline int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static struct sockaddr_in address(int port) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static inline void watch(int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    check(epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll_ctl");
}

static inline int add(int descriptor) {
    check(descriptor >= 0 && descriptor < MAXIMUM_DESCRIPTORS, "descriptor");
    int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    inputs[descriptor] = calloc(1, sizeof(Input));
    inputs[descriptor]->tag = -1;
    return descriptor;
}

static inline int dial(int port) {
    int descriptor = add(socket(AF_INET, SOCK_STREAM, 0));
    struct sockaddr_in to = address(port);
    check(connect(descriptor, (struct sockaddr *)&to, sizeof to) == 0, "connect");
    return descriptor;
}

// Writes everything, waiting for a reader that is behind.
static inline void put(int descriptor, const void *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (written < 0) {
            check(errno == EAGAIN, "send");
            poll(&(struct pollfd){.fd = descriptor, .events = POLLOUT}, 1, -1);
            continue;
        }
        bytes = (const uint8_t *)bytes + written;
        count -= written;
    }
}

// Reads what there is behind what was left over; 0 at the end.
static inline Input *get(int descriptor) {
    Input *input = inputs[descriptor];
    ssize_t count = recv(descriptor, input->bytes + input->filled, BUFFER - input->filled, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) count = 0;
    else if (count <= 0) return NULL;
    input->filled += count;
    return input;
}

static inline void consume(Input *input, size_t count) {
    input->filled -= count;
    memmove(input->bytes, input->bytes + count, input->filled);
}

// ---- Latencies

enum { MICROSECONDS = 10000000 };

typedef struct {
    int64_t count;
    uint32_t times[MICROSECONDS];  // the last is for all that took longer
} Latencies;

static inline void record(Latencies *latencies, int64_t nanoseconds) {
    int64_t late = nanoseconds / 1000;
    latencies->times[late < 0 ? 0 : late < MICROSECONDS ? late : MICROSECONDS - 1]++;
    latencies->count++;
}

// In milliseconds; 0 if there are none.
static inline double percentile(const Latencies *latencies, double share) {
    if (latencies->count == 0) return 0;
    int64_t below = 0;
    int late = 0;
    for (; late < MICROSECONDS && below + latencies->times[late] <= share * latencies->count; late++) below += latencies->times[late];
    return late / 1000.0;
}

// A descriptor that is readable every so many nanoseconds, and watched.
static inline int tick(int64_t nanoseconds) {
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct timespec step = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    check(timerfd_settime(timer, 0, &(struct itimerspec){step, step}, NULL) == 0, "timerfd_settime");
    watch(timer);
    return timer;
}

static inline void read_tick(int timer) {
    uint64_t turns;
    check(read(timer, &turns, sizeof turns) == sizeof turns, "timer");
}
