package import ParleyModel

/// Edits, deletions, reactions and typing indicators.
extension Messaging {
    /// Edits or deletes a message, or reacts to it.
    /// - Returns: The receipt; `nil` if there was nothing to do.
    package func change(
        _ change: MessageChange, by caller: Caller, as membership: Membership
    ) async throws(MessagingError) -> Receipt? {
        let user = caller.user.id
        switch change {
        case .edit(_, let text) where caller.isCharged: try rules.check(text)
        case .edit(_, let text): try limited { () throws(MessagingError) in try rules.check(text) }
        case .react(_, let emoji, _):
            if let violation = Reaction.violation(inEmoji: emoji) { throw .invalid(violation) }
        case .delete: break
        }
        // These checks come before the look-up: users who may not write learn nothing about the message, and look-ups are
        // limited like sends.
        try rules.check(writingAs: membership, at: clock.milliseconds)
        if case .edit(_, let text) = change { try rules.check(NewMessage(text), as: membership) }
        try await charge(caller)
        let thread = membership.thread.id
        let message: MessagePlace?
        do {
            message = try await finder.find(change.message, in: thread)
        } catch {
            throw MessagingError(error)
        }
        guard let message else { throw .notFound("there is no such message in this thread") }
        if let start = membership.start, message.seq < start.firstSeq {
            guard start.isKnown else { throw .unavailable("your joining is not stored yet; try again") }
            throw .notFound("there is no such message in this thread")
        }
        guard let body = try rules.body(of: change, to: message, by: user, as: membership) else { return nil }
        do {
            return try await ports.log.append(EventDraft(thread: thread, body: body, origin: caller.origin))
        } catch {
            throw MessagingError(error)
        }
    }

    /// Deletes a message of any thread, at an operator's request. The event names the operator's account, or
    /// `LogEvent.operatorID` for an operator without one.
    /// - Throws: `notFound` for an unknown thread or message; `rateLimited` and `unavailable`.
    package func deleteMessage(
        _ message: MessageID, of thread: ThreadID, by requester: Operator
    ) async throws(MessagingError) {
        _ = try await knownThread(thread)
        try await charge(requester)
        let place: MessagePlace?
        do {
            place = try await finder.find(message, in: thread)
        } catch {
            throw MessagingError(error)
        }
        guard let place else { throw .notFound("there is no such message in this thread") }
        guard !place.isGone else { return }
        let deletion = MessageDeletion(
            messageID: message, messageSeq: place.seq, by: requester.author ?? LogEvent.operatorID)
        do {
            _ = try await ports.log.append(EventDraft(thread: thread, body: .deleted(deletion), origin: nil))
        } catch {
            throw MessagingError(error)
        }
    }

    /// Publishes a typing indicator to the members. An indicator above the budget is dropped.
    /// - Parameter now: The time in microseconds, by the uptime of the budgets.
    /// - Throws: `forbidden`.
    package func showTyping(
        _ isOn: Bool, by caller: Caller, as membership: Membership, _ budgets: UserBudgets, at now: Int64
    ) throws(MessagingError) {
        try rules.check(writingAs: membership, at: clock.milliseconds)
        let (thread, user) = (membership.thread.id, caller.user)
        switch budgets.typing(UserBudgets.TypingIndicator(thread: thread, isOn: isOn), at: now) {
        case .publish: ports.bus.publish(.typing(user, isOn: isOn), in: thread)
        case .drop: break
        case .later:
            let isTaken = self.budgets.settings.submit { [bus = ports.bus] in
                guard let sign = await budgets.lateTyping() else { return }
                bus.publish(.typing(user, isOn: sign.isOn), in: sign.thread)
            }
            if !isTaken { budgets.dropLateTyping() }
        }
    }
}
