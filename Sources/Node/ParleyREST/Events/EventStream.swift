import HTTPTypes
import Hummingbird
import NIOCore
import ParleyJSON
import ParleyMessaging
import ParleyModel
import ParleyWire

/// A response with stored events, part by part: one read of the database each. The next part is read when the client has
/// accepted the last one, so nothing is queued.
struct EventStream: Sendable {
    let messaging: Messaging
    let backEnd: BackEnd
    let request: EventStreamRequest
    let place: EventFollowers.Place
    let times: EventFollowers.Times
    let clock: WallClock
    /// The client's connection; `nil` in tests without one.
    let channel: (any Channel)?

    /// Reads the first part, so that errors have a status.
    func response() async throws -> Response {
        var start: EventCursor =
            switch request.start {
            case .cursor(let cursor): cursor
            case .end: try await messaging.endOfEvents(for: backEnd)
            }
        if let worker = request.worker {
            start = try await messaging.leaseEvents(
                of: worker.group, to: worker.reader, beginningAt: start, for: backEnd)
        }
        let first: EventFeedPage
        do {
            first = try await page(after: start, remaining: request.limit)
        } catch {
            await endLease()
            throw error
        }
        if let channel { HangUpHandler.watch(channel, for: place) }
        return Response(
            status: .ok, headers: [.contentType: request.format.contentType],
            body: ResponseBody { writer in
                do {
                    try await write(first, to: &writer)
                } catch {
                    await endLease()
                    throw error
                }
                if request.follows { await endLease() }
                try await writer.finish(nil)
            })
    }

    private func page(after cursor: EventCursor, remaining: Int?) async throws(MessagingError) -> EventFeedPage {
        var query = request.query
        if let remaining { query = query.limited(to: remaining) }
        return try await messaging.events(after: cursor, query, for: backEnd)
    }

    /// Lets another worker of the group begin at once when an answer has failed, or one that follows has ended. A worker that
    /// asks again and again keeps its lease in between.
    private func endLease() async {
        guard let worker = request.worker else { return }
        // Otherwise the lease ends by its time.
        try? await messaging.endEventLease(of: worker.group, by: worker.reader, for: backEnd)
    }

    /// - Throws: `conflict` if another answer has taken over, or the group has been moved.
    private func keepLease() async throws(MessagingError) {
        guard let worker = request.worker else { return }
        try await messaging.extendEventLease(of: worker.group, by: worker.reader, for: backEnd)
    }

    /// Writes parts until the stream ends.
    private func write(_ first: EventFeedPage, to writer: inout any ResponseBodyWriter) async throws {
        var (page, remaining) = (first, request.limit)
        // The first part is sent even if it is empty, so that the client has a cursor.
        var spoken: ContinuousClock.Instant?
        var leased = ContinuousClock.now
        if let greeting = request.format.greeting { try await send(greeting, to: &writer) }
        while true {
            remaining = remaining.map { $0 - page.entries.count }
            let isLast = remaining == 0 || (page.isEnd && !request.follows) || place.mustEnd
            let isSilent = spoken.map { ContinuousClock.now - $0 >= times.silence } ?? true
            if isLast || !page.entries.isEmpty || isSilent {
                try await send(request.format.part(page), to: &writer)
                spoken = .now
            }
            note(page)
            if isLast { return }
            do {
                if page.isEnd { try await Task.sleep(for: times.pause) }
                if ContinuousClock.now - leased >= times.lease {
                    try await keepLease()
                    leased = .now
                }
                page = try await self.page(after: page.next, remaining: remaining)
            } catch {
                let error = APIError(error)
                return try await send(request.format.end(error), to: &writer)
            }
        }
    }

    private func note(_ page: EventFeedPage) {
        var age = 0.0
        if !page.isEnd, let stored = page.storedMilliseconds {
            age = max(0, Double(clock.milliseconds - stored) / 1_000)
        }
        place.note(events: page.entries.count, lag: age)
    }

    /// Writes bytes. A client that does not read them in time loses its connection.
    private func send(_ bytes: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
        let limit = channel.map { channel in
            channel.eventLoop.scheduleTask(in: times.part) { channel.close(promise: nil) }
        }
        defer { limit?.cancel() }
        try await writer.write(bytes)
    }
}

/// The form of a response with events.
enum EventFormat: Sendable {
    /// A JSON object per line.
    case lines
    /// Server-sent events (WHATWG HTML §9.2).
    case serverSent

    var contentType: String {
        switch self {
        case .lines: "application/x-ndjson"
        case .serverSent: "text/event-stream"
        }
    }

    /// The bytes before the first part: the time after which `EventSource` connects again.
    var greeting: ByteBuffer? {
        switch self {
        case .lines: nil
        case .serverSent: ByteBuffer(string: "retry: 1000\n\n")
        }
    }

    /// Events and the cursor after them.
    func part(_ page: EventFeedPage) -> ByteBuffer {
        switch self {
        case .lines:
            var json = JSONWriter(capacity: 16_384)
            for event in page.entries {
                json.feedEvent(event)
                json.endLine()
            }
            json.feedCursor(page.next, isEnd: page.isEnd)
            json.endLine()
            return json.buffer
        case .serverSent:
            var buffer = ByteBuffer()
            for (index, event) in page.entries.enumerated() {
                var json = JSONWriter(capacity: JSONWriter.eventBytes)
                json.feedEvent(event)
                buffer.writeString("event: \(event.v1Type)\n")
                if index == page.entries.count - 1 { buffer.writeString("id: \(page.next.text)\n") }
                buffer.writeString("data: ")
                buffer.writeBytes(json.bytes)
                buffer.writeString("\n\n")
            }
            // Without data, a client only takes note of the cursor.
            if page.entries.isEmpty { buffer.writeString("id: \(page.next.text)\n\n") }
            return buffer
        }
    }

    /// The reason that the stream ends.
    func end(_ error: APIError) -> ByteBuffer {
        var json = JSONWriter(capacity: 256)
        json.feedError(code: error.code.rawValue, message: error.message)
        switch self {
        case .lines:
            json.endLine()
            return json.buffer
        case .serverSent:
            var buffer = ByteBuffer(string: "event: error\ndata: ")
            buffer.writeBytes(json.bytes)
            buffer.writeString("\n\n")
            return buffer
        }
    }
}
