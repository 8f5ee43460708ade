import HTTPTypes
import Hummingbird
import ParleyModel

/// The parameters of `GET /v1/admin/events`.
struct EventStreamRequest: Sendable {
    /// The place after which the stream begins.
    enum Start: Hashable, Sendable {
        case cursor(EventCursor)
        case end
    }

    /// The maximum number of events that a client may ask for.
    static let maximumLimit: Int64 = 1_000
    /// The number of events of an answer that does not follow.
    static let defaultLimit = 100

    /// A worker of a group of readers, which asks for this answer.
    struct Worker: Hashable, Sendable {
        let group: String
        let reader: EventGroupReader
    }

    /// With a group, the place of a group that does not exist yet.
    let start: Start
    /// `nil` for a reader that keeps its place itself.
    let worker: Worker?
    let query: EventQuery
    /// The maximum number of events; `nil` for no maximum.
    let limit: Int?
    let follows: Bool
    let format: EventFormat

    /// - Parameter user: The user of the query, whom `fields` names.
    init(_ request: Request, _ fields: Fields, user: UserID?) throws(APIError) {
        format = request.headers[values: .accept].contains { $0.contains("text/event-stream") } ? .serverSent : .lines
        worker = try Self.worker(fields)
        start = try Self.start(request, fields, inGroup: worker != nil)
        let follow = try fields.textIfPresent("follow") ?? "0"
        guard ["0", "1"].contains(follow) else { throw .badRequest("follow is not 0 or 1") }
        follows = follow == "1" || format == .serverSent
        let asked = try fields.number("limit", from: 1, upTo: Self.maximumLimit).map { Int($0) }
        limit = asked ?? (follows ? nil : Self.defaultLimit)
        let thread = try fields.textIfPresent("thread").map { text throws(APIError) in
            guard let thread = ThreadID(text) else { throw .badRequest("thread is not the id of a thread") }
            return thread
        }
        let kinds = try Self.kinds(fields)
        query = EventQuery(kinds: kinds.log, rows: kinds.rows, thread: thread, user: user)
    }

    private static func worker(_ fields: Fields) throws(APIError) -> Worker? {
        guard let group = try fields.textIfPresent("group") else {
            if fields.has("worker") { throw .badRequest("worker needs a group") }
            return nil
        }
        guard EventGroup.isName(group) else { throw .badRequest("group is not \(EventGroup.nameRule)") }
        let worker = try fields.text("worker")
        guard EventGroup.isName(worker) else { throw .badRequest("worker is not \(EventGroup.nameRule)") }
        return Worker(group: group, reader: EventGroupReader(worker: worker))
    }

    private static func start(
        _ request: Request, _ fields: Fields, inGroup isInGroup: Bool
    ) throws(APIError) -> Start {
        // A browser repeats the query, and adds the cursor that it has. A group continues where it has acknowledged.
        let header = isInGroup ? nil : HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
        let last = header.flatMap { $0.isEmpty ? nil : $0 }
        let after = try fields.textIfPresent("after")
        switch last ?? after {
        case nil, "start": return .cursor(.start)
        case "end": return .end
        case let text?:
            guard let cursor = EventCursor(text) else {
                throw .badRequest("after is not a cursor; allowed are start, end, and the cursor of an earlier answer")
            }
            return .cursor(cursor)
        }
    }

    private static func kinds(_ fields: Fields) throws(APIError) -> EventKinds {
        guard let text = try fields.textIfPresent("kinds") else { return EventKinds() }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        guard let kinds = EventKinds(names: names) else {
            throw .badRequest("kinds has an unknown kind; allowed are \(EventKinds.allowed), separated by commas")
        }
        return kinds
    }
}
