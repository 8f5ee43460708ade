import ArgumentParser
import Foundation
import ParleyJSON
import ParleyMessaging
import ParleyModel
import ParleyWire

/// `parley admin events`
struct Events: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print stored events of all threads, and the audit log, as NDJSON, the oldest first.",
        discussion: """
            The lines are those of GET /v1/admin/events (docs/events.md): events, and after each part of at most \
            \(EventFeedPage.maximumLimit) of them a cursor to continue from with --after.

            With --group and --worker the command reads for a group: it begins at the place of the group, and \
            acknowledges each part when it has printed it. --after is the place of a group that does not exist yet. \
            When the command is interrupted, another worker can begin within 30 seconds.
            """)

    @Option(help: "Where to begin: start, end, or a cursor.")
    var after = "start"

    @Option(help: "Maximum number of events.")
    var limit: Int?

    @Option(
        help: "Kinds of events, separated by commas: \(EventKinds.allowed). Default: all events of logs, without audit."
    )
    var kinds: String?

    @Option(help: "ID of a thread.")
    var thread: String?

    @Option(help: "ID or name of the sender, the subject or the author.")
    var user: String?

    @Flag(help: "Continue with later events until the command is interrupted.")
    var follow = false

    @Option(help: "Name of a group of readers to read for: \(EventGroup.nameRule).")
    var group: String?

    @Option(help: "Name of this worker of the group.")
    var worker: String?

    @OptionGroup var flags: DatabaseFlags

    /// The pause before the database is asked again.
    private static let pause = Duration.milliseconds(250)

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
        if let thread, ThreadID(thread) == nil { throw ValidationError("\(thread) is not a thread id") }
        guard after == "start" || after == "end" || EventCursor(after) != nil else {
            throw ValidationError("--after must be start, end, or a cursor that the command has printed")
        }
        _ = try chosenKinds()
        if (group == nil) != (worker == nil) { throw ValidationError("--group and --worker belong together") }
        for (option, name) in [("--group", group), ("--worker", worker)] {
            if let name, !EventGroup.isName(name) { throw ValidationError("\(option) is not \(EventGroup.nameRule)") }
        }
    }

    /// The lease of the group that the command reads for.
    private struct Lease {
        /// The time after which the lease is extended.
        static let interval = Duration.seconds(5)

        let group: String
        let reader: EventGroupReader
        var extended = ContinuousClock.now

        /// - Throws: `conflict` if another reader has taken over.
        mutating func keep(_ messaging: Messaging) async throws {
            guard ContinuousClock.now - extended >= Self.interval else { return }
            try await messaging.extendEventLease(of: group, by: reader, for: .commandLine)
            extended = .now
        }

        func acknowledge(_ cursor: EventCursor, _ messaging: Messaging) async throws {
            try await messaging.acknowledgeEvents(through: cursor, of: group, by: reader.worker, for: .commandLine)
        }
    }

    private func chosenKinds() throws -> EventKinds {
        guard let kinds else { return EventKinds() }
        let names = kinds.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        guard let chosen = EventKinds(names: names) else {
            throw ValidationError("--kinds has an unknown kind; allowed are \(EventKinds.allowed)")
        }
        return chosen
    }

    func run() async throws {
        try await flags.withMessaging { messaging in
            let kinds = try chosenKinds()
            var query = EventQuery(
                kinds: kinds.log, rows: kinds.rows, thread: thread.flatMap { ThreadID($0) })
            if let user { query.user = try await flags.findUser(user, messaging).id }
            var cursor = EventCursor(after) ?? .start
            if after == "end" { cursor = try await messaging.endOfEvents(for: .commandLine) }
            guard let group, let worker else {
                var lease: Lease?
                return try await read(query, after: cursor, &lease, messaging)
            }
            let reader = EventGroupReader(worker: worker)
            cursor = try await messaging.leaseEvents(
                of: group, to: reader, beginningAt: cursor, for: .commandLine)
            var lease: Lease? = Lease(group: group, reader: reader)
            let result: Result<Void, any Error>
            do {
                result = .success(try await read(query, after: cursor, &lease, messaging))
            } catch {
                result = .failure(error)
            }
            try? await messaging.endEventLease(of: group, by: reader, for: .commandLine)
            try result.get()
        }
    }

    /// Prints the events after a cursor.
    private func read(
        _ query: EventQuery, after start: EventCursor, _ lease: inout Lease?, _ messaging: Messaging
    ) async throws {
        var (cursor, remaining) = (start, limit)
        while true {
            try await lease?.keep(messaging)
            let page = try await messaging.events(
                after: cursor, query.limited(to: remaining ?? EventFeedPage.maximumLimit), for: .commandLine)
            remaining = remaining.map { $0 - page.entries.count }
            let isLast = remaining == 0 || (page.isEnd && !follow)
            if isLast || !page.entries.isEmpty { show(page) }
            if page.next != cursor { try await lease?.acknowledge(page.next, messaging) }
            if isLast { return }
            cursor = page.next
            if page.isEnd { try await Task.sleep(for: Self.pause) }
        }
    }

    private func show(_ page: EventFeedPage) {
        var json = JSONWriter(capacity: 512 * (page.entries.count + 1))
        for event in page.entries {
            json.feedEvent(event)
            json.endLine()
        }
        json.feedCursor(page.next, isEnd: page.isEnd)
        json.endLine()
        FileHandle.standardOutput.write(Data(json.bytes))
    }
}
