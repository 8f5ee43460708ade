package import ParleyModel

/// The sending of messages. Rights, limits and budgets are checked here for all dialects, REST and adopted events.
///
/// Callers have authenticated the user, and looked up the newest membership that the store or the node knows.
extension Messaging {
    /// Checks a message and makes its event. Has no `await`, since every send calls it.
    /// - Throws: `tooLarge`, `invalid`, `forbidden` for a member who may not write, attach or mention everyone, and `slowMode`.
    package func prepare(
        _ message: NewMessage, by caller: Caller, as membership: Membership
    ) throws(MessagingError) -> PreparedSend {
        try rules.check(message.text, hasParts: !message.parts.isEmpty)
        if !message.parts.isEmpty { try rules.check(message.parts) }
        try rules.check(writingAs: membership, at: clock.milliseconds)
        try rules.check(message, as: membership)
        let sent = Message(
            id: message.id ?? tracer.messageID(clock, isAsked: message.isTraced), sender: caller.user,
            text: message.text, clientID: message.clientID, recipient: membership.peer, parts: message.parts,
            replyTo: message.replyTo, senderDisplayName: caller.displayName)
        if membership.options.slowSeconds > 0 { try takeTurn(sent, as: membership) }
        var draft = EventDraft(
            thread: membership.thread.id, body: .message(sent), origin: caller.origin,
            wantsStored: message.wantsStored, isKnownToDjango: message.isKnownToDjango)
        draft.mayBeThere = message.mayBeThere
        return PreparedSend(
            draft: draft, message: sent, hasAttached: message.hasAttached,
            opened: message.opensThread ? membership : nil)
    }

    /// - Throws: `slowMode` if the member has sent another message too shortly before.
    private func takeTurn(_ message: Message, as membership: Membership) throws(MessagingError) {
        switch membership.role {
        case .owner, .moderator: return
        case .member, .readOnly: break
        }
        let seconds = membership.options.slowSeconds
        let wait = slowMode.take(message, in: membership.thread.id, seconds: seconds, at: clock.milliseconds)
        if wait > 0 { throw .slowMode(seconds: seconds, afterMilliseconds: wait) }
    }

    /// Appends a prepared message. May be called from an event loop; never blocks.
    ///
    /// Sends of one caller to one thread keep their order.
    /// - Parameter completion: Called once, on any thread.
    package func append(
        _ send: PreparedSend, completion: @escaping @Sendable (Result<Receipt, MessagingError>) -> Void
    ) {
        tracer.stamp(.sent, send.id)
        ports.log.append(send.draft) { [self] result in
            appended(send, result)
            if send.hasAttached { _ = budgets.settings.submit { await self.detach(send, after: result) } }
            completion(result.mapError { MessagingError($0) })
        }
    }

    private func appended(_ send: PreparedSend, _ result: Result<Receipt, AppendError>) {
        if case .success(let receipt) = result {
            // A repeat has already passed this hop.
            if receipt.messageID == send.id { tracer.stamp(.appended, send.id) }
            if let opened = send.opened { announce(opened, of: send.message.sender, at: receipt) }
        }
    }

    /// Announces that both users of a direct thread are members, after the log has accepted its first message.
    ///
    /// The announced position is below that message. Sockets that are already open read the message from the log, and later
    /// ones find the membership in the store.
    private func announce(_ membership: Membership, of user: User, at receipt: Receipt) {
        guard let peer = membership.peer else { return }
        let before = receipt.position.seq - 1
        let thread = ThreadInfo(id: membership.thread.id, kind: .direct, title: user.name)
        ports.bus.publish(.added(membership, after: before), to: user.id)
        ports.bus.publish(
            .added(Membership(thread: thread, role: .member, peer: user), after: before), to: peer.id)
    }

    /// Sends a message for a caller that can wait: charges the budget, records the attachments, and appends the message.
    package func send(
        _ message: NewMessage, by caller: Caller, as membership: Membership
    ) async throws(MessagingError) -> Receipt {
        var message = message
        try limited { () throws(MessagingError) in
            message.id = try prepare(message, by: caller, as: membership).id
        }
        if let id = message.id { tracer.stamp(.read, id) }
        try await charge(caller)
        var named = caller
        named.displayName = await displayName(of: caller.user, fresh: true)
        let send = try await attach(message, by: named, as: membership)
        tracer.stamp(.sent, send.id)
        let result = await withCheckedContinuation { continuation in
            ports.log.append(send.draft) { continuation.resume(returning: $0) }
        }
        appended(send, result)
        if send.hasAttached { await detach(send, after: result) }
        return try result.mapError { MessagingError($0) }.get()
    }

    /// Takes a token from the caller's send budget for a log command, unless the listener has already done so.
    func charge(_ caller: Caller) async throws(MessagingError) {
        if !caller.isCharged { try await budgets.charge(caller.user.id) }
    }

    /// Counts rejections for length. Sockets count their own rejections.
    func limited(_ check: () throws(MessagingError) -> Void) throws(MessagingError) {
        do {
            try check()
        } catch {
            if case .tooLarge = error { budgets.settings.limitReached(.textChars) }
            throw error
        }
    }
}
