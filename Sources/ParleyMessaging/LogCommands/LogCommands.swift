package import ParleyModel

/// The commands that append to or concern threads' logs: send, edit, delete, react, read and typing, for sockets and
/// REST alike. Rights, limits and budgets are checked here.
///
/// Callers have authenticated the user and looked up the newest membership known to the store or the node. A socket
/// takes from its user's budgets itself (`UserBudgets`), since its commands keep their order while one of them waits;
/// the calls for REST charge the budget.
package final class LogCommands: Sendable {
    package let rules: MessageRules
    package let budgets: Budgets
    package let tracer: Tracer
    package let clock: WallClock
    package let bus: any ThreadBus
    /// `nil` if messages cannot refer to attachments.
    let attachments: (any AttachmentStore)?
    private let log: any MessageLog
    private let store: any MessageStore
    private let finder: MessageFinder
    package let settings: BudgetSettings

    package init(
        log: any MessageLog, store: any MessageStore, bus: any ThreadBus, settings: BudgetSettings, clock: WallClock,
        tracer: Tracer = .off, attachments: (any AttachmentStore)? = nil
    ) {
        rules = MessageRules(textScalars: settings.limits.textScalars)
        budgets = Budgets(settings)
        self.settings = settings
        self.tracer = tracer
        self.clock = clock
        self.bus = bus
        self.attachments = attachments
        self.log = log
        self.store = store
        finder = MessageFinder(log: log, store: store)
    }

    // MARK: Sending

    /// Sends a message, and charges the budget.
    /// - Parameters:
    ///   - clientID: makes repeats idempotent.
    ///   - isTraced: traces the message regardless of sampling.
    package func send(
        _ text: String, parts: [MessagePart] = [], replyTo: Int64? = nil, clientID: String?, by user: User,
        as membership: Membership, isTraced: Bool = false
    ) async throws(MessagingError) -> Receipt {
        try limited { () throws(MessagingError) in
            try rules.check(text, hasParts: !parts.isEmpty)
            try rules.check(parts)
        }
        let id = tracer.messageID(clock, isAsked: isTraced)
        tracer.stamp(.read, id)
        try rules.check(writingAs: membership)
        try await budgets.charge(user.id)
        let parts = try await attach(parts, to: id, by: user.id, as: membership)
        let message = Message(
            id: id, sender: user, text: text, clientID: clientID, recipient: membership.peer, parts: parts,
            replyTo: replyTo)
        let draft: EventDraft
        do {
            draft = try rules.draft(of: message, as: membership)
        } catch {
            await detach(parts, from: id, in: membership.thread.id)
            throw error
        }
        tracer.stamp(.sent, id)
        let result: Result<Receipt, AppendError>
        do {
            result = .success(try await log.append(draft))
        } catch {
            result = .failure(error)
        }
        await detach(parts, from: id, in: draft.thread, after: result)
        let receipt = try result.mapError { MessagingError($0) }.get()
        // A repeat is already past this hop.
        if receipt.messageID == id { tracer.stamp(.appended, id) }
        return receipt
    }

    private func appended(_ draft: EventDraft) async throws(MessagingError) -> Receipt {
        do {
            return try await log.append(draft)
        } catch {
            throw MessagingError(error)
        }
    }

    /// Counts rejections for length. Sockets count their own.
    private func limited(_ check: () throws(MessagingError) -> Void) throws(MessagingError) {
        do {
            try check()
        } catch {
            if case .tooLarge = error { settings.limitReached(.textChars) }
            throw error
        }
    }

    // MARK: Changes

    /// Edits, deletes or reacts.
    /// - Parameters:
    ///   - origin: the requesting connection.
    ///   - isCharged: the user's budget has been charged already.
    /// - Returns: `nil` if there was nothing to do.
    package func change(
        _ change: MessageChange, by user: UserID, as membership: Membership, from origin: ConnectionID? = nil,
        isCharged: Bool = false
    ) async throws(MessagingError) -> Receipt? {
        switch change {
        case .edit(_, let text) where isCharged: try rules.check(text)
        case .edit(_, let text): try limited { () throws(MessagingError) in try rules.check(text) }
        case .react(_, let emoji, _):
            if let violation = Reaction.violation(inEmoji: emoji) { throw .invalid(violation) }
        case .delete: break
        }
        // Before the lookup: users who may not write learn nothing about the message, and lookups are limited like
        // sends.
        try rules.check(writingAs: membership)
        if !isCharged { try await budgets.charge(user) }
        let thread = membership.thread.id
        let message: MessagePlace?
        do {
            message = try await finder.find(change.message, in: thread)
        } catch {
            throw MessagingError(error)
        }
        guard let message else { throw .notFound("there is no such message in this thread") }
        guard let body = try rules.body(of: change, to: message, by: user, as: membership) else { return nil }
        return try await appended(EventDraft(thread: thread, body: body, origin: origin))
    }

    // MARK: Read cursors

    /// Moves a read cursor, waits until it is stored, and charges the budget. Sockets use `ReadMarker`.
    /// - Parameter seq: the new cursor, which may be lower than the present one; `nil`, or a seq above the end, means
    ///   the end.
    /// - Returns: the new cursor.
    package func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?
    ) async throws(MessagingError) -> Int64 {
        try await budgets.charge(user, .reads)
        let end: Int64
        do {
            end = try await log.head(of: thread)?.position.seq ?? 0
        } catch {
            throw MessagingError(error)
        }
        let kept = min(seq ?? end, end)
        do {
            try await store.markRead(thread, by: user, through: kept)
        } catch {
            throw MessagingError(error)
        }
        bus.publish(.read(user, seq: kept, date: clock.seconds), in: thread)
        return kept
    }

    // MARK: Typing

    /// Publishes a typing indicator to the members; above the budget it is dropped.
    /// - Parameter now: microseconds by the uptime of the budgets.
    /// - Throws: `forbidden`.
    package func showTyping(
        _ isOn: Bool, by user: User, as membership: Membership, _ budgets: UserBudgets, at now: Int64
    ) throws(MessagingError) {
        try rules.check(writingAs: membership)
        let thread = membership.thread.id
        switch budgets.typing(UserBudgets.TypingIndicator(thread: thread, isOn: isOn), at: now) {
        case .publish: bus.publish(.typing(user, isOn: isOn), in: thread)
        case .drop: break
        case .later:
            let isTaken = settings.submit { [bus] in
                guard let sign = await budgets.lateTyping() else { return }
                bus.publish(.typing(user, isOn: sign.isOn), in: sign.thread)
            }
            if !isTaken { budgets.dropLateTyping() }
        }
    }
}
