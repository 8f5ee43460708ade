import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Mutes and bans in a thread, by its owner and moderators.
func sanctionRoutes(_ services: RESTServices) -> [Route] {
    let messaging = services.messaging
    return [
        Route(.get, path: "/v1/threads/{id}/sanctions", for: .user, budget: .lists) { request, context in
            let (thread, page) = (try context.threadID(), try SanctionPage(request))
            let sanctions = try await messaging.sanctions(
                in: thread, after: page.after, limit: page.limit, by: Caller(context.caller))
            return .json(.ordered(JSONTree.page(sanctions, in: thread)))
        },
        Route(.put, path: "/v1/threads/{id}/sanctions/{user}/{kind}", for: .user) { request, context in
            let (thread, sanction) = (try context.threadID(), try await context.sanction(request))
            let record = try await messaging.sanction(
                services.userReference(context), in: thread, sanction, by: Caller(context.caller))
            return .json(JSONTree(record, in: thread))
        },
        Route(.delete, path: "/v1/threads/{id}/sanctions/{user}/{kind}", for: .user) { _, context in
            try await messaging.endSanction(
                context.sanctionKind(), of: services.userReference(context), in: context.threadID(),
                by: Caller(context.caller))
            return .nothing()
        },
    ]
}

/// The fields of a request for a page of sanctions.
struct SanctionPage {
    private static let (maximumLimit, defaultLimit): (Int64, Int64) = (200, 50)

    let after: SanctionPlace?
    let limit: Int

    init(_ request: Request) throws {
        let fields = try request.queryFields()
        limit = Int(try fields.number("limit", from: 1, upTo: Self.maximumLimit) ?? Self.defaultLimit)
        after = try fields.cursor { SanctionPlace($0) }
    }
}

extension CallContext {
    /// Returns the kind of sanction in the path.
    func sanctionKind() throws -> Sanction.Kind {
        guard let kind = parameter("kind").flatMap({ Sanction.Kind(rawValue: $0) }) else {
            throw APIError(.notFound, "no such kind of sanction; allowed are mute and ban")
        }
        return kind
    }

    /// Returns the mute or ban that a request asks for.
    func sanction(_ request: Request) async throws -> SanctionRequest {
        let (kind, fields) = (try sanctionKind(), try await request.bodyFields())
        return try SanctionRequest(
            kind, seconds: fields.number("seconds", from: 1, upTo: Sanction.longestSeconds),
            reason: fields.textIfPresent("reason"))
    }
}
