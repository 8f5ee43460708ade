// What the machine allows: the input and output of a gateway for a message, and nothing else.
//
//     floor server PORT REDIS_PORT ROOMS
//     floor client ROOMS MEMBERS RATE SECONDS PORT...
//
// The server reads a masked WebSocket frame, writes a command of the size of Parley's append to Redis (PUBLISH), reads the
// reply on that connection and the publication on another, and writes a frame to each member of the room. What arrives in one
// read goes to each member in one write, as in a gateway. It parses, checks, encodes and stores nothing, and there is no
// handshake: a member sends the number of its room and is answered with one byte.
//
// The client sends at equal intervals and drains the members. Latencies count from the time at which a send was due, which
// travels in the message. It prints "ready" when all are connected, starts when it has read a line, and prints its figures as JSON.

#include "sockets.h"

// Bytes as measured with texts of 80 bytes: a client's frame, the append with all its keys but for the 40 bytes
// of the command, a member's frame.
enum { HEADER = 4, MASK = 4, SEND = 190, APPEND = 680, EVENT = 345 };
enum { MAXIMUM_ROOMS = 1000, MAXIMUM_MEMBERS = 1000 };

// ---- The server

typedef struct {
    int count, members[MAXIMUM_MEMBERS];
    size_t filled;
    uint8_t frames[BUFFER];
} Room;

static Room rooms[MAXIMUM_ROOMS];
static uint8_t commands[1 << 20];
static size_t commands_filled;

static void read_member(int descriptor, int redis) {
    Input *input = get(descriptor);
    if (!input) {
        close(descriptor);
        return;
    }
    size_t at = 0;
    if (input->tag < 0 && input->filled >= sizeof(int32_t)) {
        int32_t number;
        memcpy(&number, input->bytes, at = sizeof number);
        check(number >= 0 && number < MAXIMUM_ROOMS && rooms[number].count < MAXIMUM_MEMBERS, "room");
        input->tag = number;
        rooms[number].members[rooms[number].count++] = descriptor;
        put(descriptor, "k", 1);
    }
    for (; input->filled - at >= SEND; at += SEND) {
        uint8_t *mask = input->bytes + at + HEADER, *text = mask + MASK;
        for (int i = 0; i < SEND - HEADER - MASK; i++) text[i] ^= mask[i % MASK];
        if (commands_filled + 2 * APPEND > sizeof commands) {
            put(redis, commands, commands_filled);
            commands_filled = 0;
        }
        uint8_t *command = commands + commands_filled;
        int head = sprintf((char *)command, "*3\r\n$7\r\nPUBLISH\r\n$4\r\nr%03d\r\n$%d\r\n", input->tag, APPEND);
        memset(command + head, '.', APPEND);
        memcpy(command + head, text, SEND - HEADER - MASK);
        memcpy(command + head + APPEND, "\r\n", 2);
        commands_filled += head + APPEND + 2;
    }
    consume(input, at);
}

static void read_replies(int descriptor) {
    Input *input = get(descriptor);
    check(input != NULL, "Redis");
    consume(input, input->filled);
}

static void flush_room(Room *room) {
    for (int i = 0; i < room->count; i++) put(room->members[i], room->frames, room->filled);
    room->filled = 0;
}

static void read_publications(int descriptor) {
    static const char start[] = "*3\r\n$7\r\nmessage\r\n$4\r\nr";
    static int turn[MAXIMUM_ROOMS];
    enum { ROOM = sizeof start - 1, TEXT = ROOM + 3 + 2 + 6, WHOLE = TEXT + APPEND + 2 };
    Input *input = get(descriptor);
    check(input != NULL, "Redis");
    size_t at = 0;
    int count = 0;
    for (; input->filled - at >= WHOLE; at += WHOLE) {
        check(memcmp(input->bytes + at, start, ROOM) == 0, "publication");
        int number = atoi((char *)input->bytes + at + ROOM);
        Room *room = &rooms[number];
        if (room->filled + EVENT > BUFFER) flush_room(room);
        if (room->filled == 0) turn[count++] = number;
        uint8_t *frame = room->frames + room->filled;
        memcpy(frame, (uint8_t[]){0x81, 126, (EVENT - HEADER) >> 8, (EVENT - HEADER) & 255}, HEADER);
        memcpy(frame + HEADER, input->bytes + at + TEXT, EVENT - HEADER);
        room->filled += EVENT;
        check(count < MAXIMUM_ROOMS, "turn");
    }
    for (int i = 0; i < count; i++) flush_room(&rooms[turn[i]]);
    consume(input, at);
}

static void serve(int port, int redis_port, int count) {
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in own = address(port);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    int redis = dial(redis_port), subscriber = dial(redis_port);
    // Each confirmation has six lines.
    for (int i = 0, lines = 0; i < count; i++, lines = 0) {
        char line[64], byte;
        put(subscriber, line, sprintf(line, "SUBSCRIBE r%03d\r\n", i));
        while (lines < 6 && read(subscriber, &byte, 1) == 1) lines += byte == '\n';
    }
    check(bind(listener, (struct sockaddr *)&own, sizeof own) == 0 && listen(listener, 4096) == 0, "listen");
    watch(listener), watch(redis), watch(subscriber);
    for (;;) {
        struct epoll_event events[EVENTS];
        int found = epoll_wait(poller, events, EVENTS, -1);
        for (int i = 0; i < found; i++) {
            int descriptor = events[i].data.fd;
            if (descriptor == listener) watch(add(accept(listener, NULL, NULL)));
            else if (descriptor == redis) read_replies(redis);
            else if (descriptor == subscriber) read_publications(subscriber);
            else read_member(descriptor, redis);
        }
        if (commands_filled > 0) put(redis, commands, commands_filled);
        commands_filled = 0;
    }
}

// ---- The client

static Latencies latencies;

static void read_events(int descriptor) {
    Input *input = get(descriptor);
    check(input != NULL, "the server closed a connection");
    int64_t time = now(), due;
    size_t at = 0;
    for (; input->filled - at >= EVENT; at += EVENT) {
        memcpy(&due, input->bytes + at + HEADER, sizeof due);
        record(&latencies, time - due);
    }
    consume(input, at);
}

static void drive(int count, int members, double rate, double seconds, int ports, char **port) {
    int all = count * members, *sockets = calloc(all, sizeof(int));
    for (int i = 0; i < all; i++) {
        // The members of a room are spread over the servers.
        int32_t room = i % count;
        char byte;
        sockets[i] = dial(atoi(port[i / count % ports]));
        put(sockets[i], &room, sizeof room);
        check(read(sockets[i], &byte, 1) == 1, "the server's answer");
        watch(sockets[i]);
    }
    puts("ready");
    fflush(stdout);
    getchar();
    int64_t interval = 1e9 / rate, total = rate * seconds, sent = 0, start = now() + interval, end = start + seconds * 1e9 + 5e9;
    int timer = tick(interval);
    uint8_t frame[SEND] = {0x81, 0x80 | 126, 0, SEND - HEADER - MASK, 0x5a, 0xa5, 0x3c, 0xc3}, *mask = frame + HEADER;
    while (latencies.count < total * members && now() < end) {
        struct epoll_event events[EVENTS];
        int found = epoll_wait(poller, events, EVENTS, 100);
        for (int i = 0; i < found; i++) {
            if (events[i].data.fd != timer) {
                read_events(events[i].data.fd);
                continue;
            }
            read_tick(timer);
            for (; sent < total && start + sent * interval <= now(); sent++) {
                int64_t due = start + sent * interval;
                for (size_t k = 0; k < sizeof due; k++) mask[MASK + k] = ((uint8_t *)&due)[k] ^ mask[k % MASK];
                put(sockets[sent % all], frame, SEND);
            }
        }
    }
    printf("{\"sent\": %ld, \"missing\": %ld, \"p50_ms\": %.3f, \"p99_ms\": %.3f}\n", (long)sent, (long)(total * members - latencies.count),
           percentile(&latencies, 0.5), percentile(&latencies, 0.99));
    exit(0);
}

int main(int count, char **words) {
    poller = epoll_create1(0);
    if (count == 5 && strcmp(words[1], "server") == 0) serve(atoi(words[2]), atoi(words[3]), atoi(words[4]));
    else if (count > 6 && strcmp(words[1], "client") == 0)
        drive(atoi(words[2]), atoi(words[3]), atof(words[4]), atof(words[5]), count - 6, words + 6);
    else fprintf(stderr, "usage: floor server PORT REDIS_PORT ROOMS | floor client ROOMS MEMBERS RATE SECONDS PORT...\n");
    return 1;
}
