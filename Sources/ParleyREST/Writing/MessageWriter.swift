import ParleyAccounts
import ParleyModel

/// Sends, edits, deletes and reacts as a member of a thread: what v1 sockets do by commands.
///
/// Every write of a user passes `append`, where it is charged to the rate of their sends.
struct MessageWriter: Sendable {
    private let log: any MessageLog
    private let finder: MessageFinder
    private let clock: WallClock
    private let tracer: Tracer
    private let textScalars: Int
    private let rates: (any RateLedger)?
    private let limitReached: @Sendable (ReachedLimit) -> Void
    /// The whole of a user's rate: nodes ask the same bucket for less, since they grant some sends by themselves
    /// (`SharedRate`), and here each one is asked for. `nil`: users may send as fast as they like.
    private let rate: TokenRate?

    init(_ services: RESTServices) {
        log = services.log
        finder = MessageFinder(log: services.log, store: services.store)
        clock = services.clock
        tracer = services.tracer
        let limits = services.limits
        textScalars = limits.textScalars
        rates = services.rates
        limitReached = services.limitReached
        rate =
            limits.sendsPerSecond > 0
            ? TokenRate(interval: Int64(1_000_000 / limits.sendsPerSecond), burst: limits.sendsBurst) : nil
    }

    /// Puts an event into the log.
    private func append(_ body: LogEvent.Body, by user: User, in membership: Membership) async throws -> Receipt {
        if let flaw = MessageRights.flaw(writingAs: membership) { throw flaw }
        if let rate, let rates {
            // While the ledger is away nobody is held up by it.
            let wait = (try? await rates.take(1, of: .sends(user.id), at: rate)) ?? 0
            if wait > 0 {
                limitReached(.sends)
                throw APIError.rateLimited(retryAfterSeconds: Int((wait + 999_999) / 1_000_000))
            }
        }
        if let message = body.message { tracer.stamp(.sent, message.id) }
        return try await log.append(EventDraft(thread: membership.thread.id, body: body))
    }

    /// Sends a message.
    /// - Parameters:
    ///   - fields: `text`, `parts`, `reply_to`; a text may be missing or empty if there are parts.
    ///   - clientID: makes a repeat one message with the first.
    ///   - isTraced: it is traced, whatever chance says.
    func send(
        _ fields: Fields, clientID: String?, by user: User, in membership: Membership, isTraced: Bool = false
    ) async throws -> Receipt {
        let parts = try fields.parts(textScalars: textScalars)
        let text = parts.isEmpty ? try fields.text("text") : try fields.textIfPresent("text") ?? ""
        try check(text, mayBeEmpty: !parts.isEmpty)
        let replyTo = try fields.number("reply_to", from: 1, upTo: MessageQuery.maximumSeq)
        let id = tracer.messageID(clock, isAsked: isTraced)
        tracer.stamp(.read, id)
        let message = Message(
            id: id, sender: user, text: text, clientID: clientID, recipient: membership.peer,
            parts: parts, replyTo: replyTo)
        let receipt = try await append(.message(message), by: user, in: membership)
        // A repeat is not on its way any more.
        if receipt.messageID == id { tracer.stamp(.appended, id) }
        return receipt
    }

    func edit(_ id: MessageID, _ text: String, by user: User, in membership: Membership) async throws -> Receipt {
        try check(text)
        let message = try await find(id, membership)
        if let flaw = MessageRights.flaw(editing: message, by: user.id) { throw flaw }
        return try await append(
            .edited(MessageEdit(messageID: id, messageSeq: message.seq, text: text, by: user.id)), by: user,
            in: membership)
    }

    /// What is gone already stays so.
    func delete(_ id: MessageID, by user: User, in membership: Membership) async throws {
        let message = try await find(id, membership)
        if let flaw = MessageRights.flaw(deleting: message, by: user.id, in: membership) { throw flaw }
        guard !message.isGone else { return }
        _ = try await append(
            .deleted(MessageDeletion(messageID: id, messageSeq: message.seq, by: user.id)), by: user, in: membership)
    }

    func react(
        _ emoji: String, isOn: Bool, to id: MessageID, by user: User, in membership: Membership
    ) async throws -> Receipt {
        if let flaw = Reaction.flaw(inEmoji: emoji) { throw APIError.badRequest(flaw) }
        let message = try await find(id, membership)
        if let flaw = MessageRights.flaw(reactingTo: message) { throw flaw }
        return try await append(
            .reaction(
                Reaction(messageID: id, messageSeq: message.seq, user: user.id, emoji: emoji, isOn: isOn)),
            by: user, in: membership)
    }

    private func check(_ text: String, mayBeEmpty: Bool = false) throws {
        guard let flaw = MessageText.flaw(in: text, limit: textScalars), flaw != .empty || !mayBeEmpty else { return }
        if case .tooLong = flaw { limitReached(.textChars) }
        throw APIError.badRequest(flaw.explanation)
    }

    /// The message, if the user may write at all: who may not learns nothing of it.
    private func find(_ id: MessageID, _ membership: Membership) async throws -> MessagePlace {
        if let flaw = MessageRights.flaw(writingAs: membership) { throw flaw }
        guard let message = try await finder.find(id, in: membership.thread.id) else {
            throw APIError(.notFound, "no such message in this thread")
        }
        return message
    }
}
