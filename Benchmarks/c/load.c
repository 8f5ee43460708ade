// A load for a real gateway that costs little itself: sends at equal intervals over v1, and checks what every socket receives.
//
//     load RATE WARM_UP SECONDS STORED_SHARE KEY < MEMBERS
//
// Each line of MEMBERS, up to an empty one, is a user, the one thread they are in, and the port of the gateway that they get a socket of.
// It connects them, a few handshakes at a time, prints how many a second have had their hello, and starts when it has read another
// line: it sends for WARM_UP + SECONDS, and prints its figures as JSON. Each user sends in turn; threads come in turn too if the
// lines do.
//
// A text begins with the number of its send, which says when it was due. Latencies are those of sends due after WARM_UP. `seq`
// must rise by one on each socket, so that a message that is lost, doubled or out of order is seen at once, whatever its text.

#include "sockets.h"

enum { TEXT = 80, DIGITS = 10, REQUEST = 1024, NAME = 96, HANDSHAKES = 64 };

typedef struct {
    int descriptor, port, is_open;
    char user[NAME], thread[NAME];
    int64_t seq;  // of the newest message, 0 before the first
} Member;

static Member members[MAXIMUM_DESCRIPTORS];
static int all, greeted;
static Latencies delivered, stored;
static int64_t start, interval, warm_up, total, sent, received, measured, refused, acknowledged, confirmed, asked, disordered;
static int64_t *accepted;  // when the send of a number was

static int64_t due(int64_t number) {
    return start + number * interval;
}

// The number after a name in quotes, such as "seq":; -1 if there is none.
static int64_t number_after(const char *name, const char *json, size_t count) {
    const char *at = memmem(json, count, name, strlen(name));
    return at ? strtoll(at + strlen(name), NULL, 10) : -1;
}

static int begins(const char *json, size_t count, const char *start) {
    return count >= strlen(start) && memcmp(json, start, strlen(start)) == 0;
}

static void read_message(Member *member, const char *json, size_t count, int64_t time) {
    int64_t seq = number_after("\"seq\":", json, count), number = number_after("\"text\":\"", json, count);
    check(seq > 0 && number >= 0 && number < total, json);
    if (member->seq > 0 && seq != member->seq + 1) disordered++;
    member->seq = seq;
    received++;
    if (due(number) - start < warm_up) return;
    measured++;
    record(&delivered, time - due(number));
}

// A frame of a client, masked.
static void send_frame(Member *member, int kind, const char *payload, size_t count) {
    static const uint8_t key[4] = {0x5a, 0xa5, 0x3c, 0xc3};
    uint8_t frame[REQUEST] = {0x80 | kind, 0x80 | 126, count >> 8, count & 255};
    size_t head = 4;
    if (count < 126) frame[1] = 0x80 | count, head = 2;
    memcpy(frame + head, key, sizeof key);
    for (size_t i = 0; i < count; i++) frame[head + 4 + i] = payload[i] ^ key[i % 4];
    put(member->descriptor, frame, head + 4 + count);
}

static void read_text(Member *member, char *json, size_t count, int64_t time) {
    // Ends what strtoll reads; the next frame's head is behind what was read already.
    char last = json[count];
    json[count] = 0;
    if (begins(json, count, "{\"type\":\"message\"")) read_message(member, json, count, time);
    else if (begins(json, count, "{\"type\":\"ack\"")) {
        int64_t number = number_after("\"ref\":", json, count);
        check(number >= 0 && number < total, json);
        if (!memmem(json, count, "\"level\":\"stored\"", 16)) accepted[number] = time, acknowledged++;
        else {
            confirmed++;
            if (due(number) - start >= warm_up) record(&stored, time - accepted[number]);
        }
    } else if (begins(json, count, "{\"type\":\"hello\"")) {
        greeted++;
        // Live events come after the first command.
        send_frame(member, 1, "{\"ping\":1}", 10);
    }
    else if (begins(json, count, "{\"type\":\"error\"")) {
        if (refused++ == 0) fprintf(stderr, "%s\n", json);
    } else if (begins(json, count, "{\"type\":\"behind\"") || begins(json, count, "{\"type\":\"bye\"")) {
        fprintf(stderr, "%s\n", json);
        disordered++;
    }
    json[count] = last;
}

static void open_socket(Member *member, const char *key) {
    char request[REQUEST];
    member->descriptor = dial(member->port);
    int count = snprintf(request, sizeof request,
        "GET /chat HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: parley.v1\r\nAuthorization: Bearer %s\r\n"
        "X-Parley-User: %s\r\n\r\n", key, member->user);
    check(count < REQUEST, "a long key or name");
    put(member->descriptor, request, count);
    inputs[member->descriptor]->tag = member - members;
    watch(member->descriptor);
}

// Whether the answer to the handshake is complete.
static int accept_handshake(Member *member, Input *input) {
    uint8_t *end = memmem(input->bytes, input->filled, "\r\n\r\n", 4);
    if (!end) return 0;
    check(begins((char *)input->bytes, input->filled, "HTTP/1.1 101"), (char *)input->bytes);
    consume(input, end + 4 - input->bytes);
    return member->is_open = 1;
}

static void read_frames(int descriptor) {
    Input *input = get(descriptor);
    check(input != NULL, "the server closed a connection");
    Member *member = &members[input->tag];
    int64_t time = now();
    if (!member->is_open && !accept_handshake(member, input)) return;
    size_t at = 0;
    for (;;) {
        uint8_t *frame = input->bytes + at;
        size_t left = input->filled - at, head = 2;
        if (left < head) break;
        size_t count = frame[1] & 127;
        if (count >= 126) head = count == 126 ? 4 : 10;
        if (left < head) break;
        if (count >= 126) {
            size_t wide = 0;
            for (size_t i = 2; i < head; i++) wide = wide << 8 | frame[i];
            count = wide;
        }
        check(head + count < BUFFER, "a frame that is too long");
        if (left < head + count) break;
        if ((frame[0] & 15) == 1) read_text(member, (char *)frame + head, count, time);
        else if ((frame[0] & 15) == 9) send_frame(member, 10, (char *)frame + head, count);
        else check((frame[0] & 15) == 10, "a close frame");
        at += head + count;
    }
    consume(input, at);
}

// `client_id` is a UUIDv7 of now, unique by the number.
static void send_message(int64_t number, int wants_stored) {
    Member *member = &members[number % all];
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    unsigned long made = time.tv_sec * 1000UL + time.tv_nsec / 1000000;
    char json[REQUEST];
    int count = snprintf(json, sizeof json,
        "{\"message\":{\"id\":\"%s\",\"text\":\"%0*ld%.*s\",\"client_id\":\"%08lx-%04lx-7000-8000-%012lx\"%s},\"ref\":%ld}",
        member->thread, DIGITS, (long)number, TEXT - DIGITS,
        " This is a line of a chat that says about as much as lines of chats do.......", made >> 16, made & 0xffff,
        (unsigned long)number, wants_stored ? ",\"ack\":\"stored\"" : "", (long)number);
    send_frame(member, 1, json, count);
    asked += wants_stored;
}

static void turn(int timer, double share) {
    struct epoll_event events[EVENTS];
    int found = epoll_wait(poller, events, EVENTS, 100);
    for (int i = 0; i < found; i++) {
        if (events[i].data.fd != timer) {
            read_frames(events[i].data.fd);
            continue;
        }
        read_tick(timer);
        for (; sent < total && due(sent) <= now(); sent++) send_message(sent, (int64_t)(sent * share) != (int64_t)((sent + 1) * share));
    }
}

int main(int count, char **words) {
    if (count != 6) {
        fprintf(stderr, "usage: load RATE WARM_UP SECONDS STORED_SHARE KEY < MEMBERS\n");
        return 1;
    }
    double rate = atof(words[1]), seconds = atof(words[3]), share = atof(words[4]);
    char line[2 * NAME + 16];
    poller = epoll_create1(0);
    while (fgets(line, sizeof line, stdin) && sscanf(line, "%95s %95s %d", members[all].user, members[all].thread, &members[all].port) == 3)
        check(++all < MAXIMUM_DESCRIPTORS, "too many members");
    check(all > 0, "members");
    start = now();
    for (int opened = 0; greeted < all; turn(-1, 0))
        while (opened < all && opened - greeted < HANDSHAKES) open_socket(&members[opened++], words[5]);
    printf("%.0f\n", all / ((now() - start) / 1e9));
    fflush(stdout);
    check(fgets(line, sizeof line, stdin) != NULL, "the signal to start");

    interval = 1e9 / rate, warm_up = atof(words[2]) * 1e9, total = (warm_up / 1e9 + seconds) * rate;
    accepted = calloc(total, sizeof *accepted);
    // How many sockets are in a thread: as many as all have the first one's.
    int64_t audience = 0;
    for (int i = 0; i < all; i++) audience += strcmp(members[i].thread, members[0].thread) == 0;
    start = now() + interval;
    int64_t last = due(total) + 10e9;
    int timer = tick(interval);
    while ((received < total * audience || confirmed < asked || sent < total) && now() < last) turn(timer, share);
    clock_t used = clock();
    printf("{\"sent\": %ld, \"missing\": %ld, \"disordered\": %ld, \"refused\": %ld, \"unacknowledged\": %ld, \"unconfirmed\": %ld, "
           "\"deliveries_per_second\": %.1f, \"p50_ms\": %.3f, \"p99_ms\": %.3f, \"stored_p50_ms\": %.3f, \"stored_p99_ms\": %.3f, "
           "\"own_us_per_delivery\": %.2f}\n",
           (long)sent, (long)(total * audience - received), (long)disordered, (long)refused, (long)(sent - acknowledged),
           (long)(asked - confirmed), measured / seconds, percentile(&delivered, 0.5), percentile(&delivered, 0.99),
           percentile(&stored, 0.5), percentile(&stored, 0.99), used * 1e6 / CLOCKS_PER_SEC / (received ? received : 1));
    return 0;
}
