import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The audit log, for operators, and for the owner and moderators of a thread.
func auditRoutes(_ services: RESTServices) -> [Route] {
    let messaging = services.messaging
    return [
        Route(.get, path: "/v1/admin/audit", for: .operator, budget: .lists) { request, context in
            let page = try await AuditPage(request, services, hasThread: true)
            return .json(
                JSONTree.page(
                    try await messaging.audit(page.filter, before: page.before, limit: page.limit, by: context.caller)))
        },
        Route(.get, path: "/v1/threads/{id}/audit", for: .user, budget: .lists) { request, context in
            let (thread, page) = (try context.threadID(), try await AuditPage(request, services, hasThread: false))
            return .json(
                JSONTree.page(
                    try await messaging.audit(
                        of: thread, page.filter, before: page.before, limit: page.limit,
                        by: Caller(context.caller))))
        },
    ]
}

/// The fields of a request for a page of the audit log.
private struct AuditPage {
    private static let (maximumLimit, defaultLimit): (Int64, Int64) = (200, 50)

    var filter = AuditFilter()
    let before: Int64?
    let limit: Int

    init(_ request: Request, _ services: RESTServices, hasThread: Bool) async throws {
        let fields = try request.queryFields()
        limit = Int(try fields.number("limit", from: 1, upTo: Self.maximumLimit) ?? Self.defaultLimit)
        before = try fields.cursor { Int64($0) }
        if hasThread, let text = try fields.textIfPresent("thread") {
            guard let thread = ThreadID(text) else { throw APIError.badRequest("thread is not an ID of a thread") }
            filter.thread = thread
        }
        filter.user = try await Self.user("user", fields, services)
        filter.actor = try await Self.user("actor", fields, services)
        if let text = try fields.textIfPresent("action") {
            guard let action = AuditAction(rawValue: text) else {
                let names = AuditAction.allCases.map(\.rawValue).joined(separator: ", ")
                throw APIError.badRequest("action is unknown; allowed are \(names)")
            }
            filter.action = action
        }
        filter.from = try fields.number("from_ms", from: 0, upTo: .max)
        filter.to = try fields.number("to_ms", from: 0, upTo: .max)
    }

    /// Returns the ID of the user in a field. A user who is unknown or erased is an ID, since rows outlive users.
    private static func user(
        _ name: String, _ fields: Fields, _ services: RESTServices
    ) async throws -> UserID? {
        guard let text = try fields.textIfPresent(name) else { return nil }
        let reference = services.messaging.reference(text)
        do throws(MessagingError) {
            return try await services.messaging.knownUser(reference).id
        } catch {
            guard case .notFound = error, let id = reference.id else { throw APIError(error) }
            return id
        }
    }
}

extension JSONTree {
    fileprivate static func page(_ entries: ListPage<AuditEntry>) -> JSONTree {
        .ordered([
            ("entries", .array(entries.elements.map { .ordered($0.members) })),
            ("next_cursor", entries.last.map { .text(String($0.id)) } ?? .null),
        ])
    }
}
