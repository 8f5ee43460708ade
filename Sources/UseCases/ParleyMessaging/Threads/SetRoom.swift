import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Changes the details of a room. The owner and the moderators change its texts and its slow mode, only the owner its rights,
    /// and whether it is archived. All nodes apply the change within a second.
    /// - Throws: `invalid`, `tooLarge`, `notFound`, `notAMember`, `forbidden`, `rateLimited`, `unavailable`.
    package func setRoom(
        _ update: RoomUpdate, of thread: ThreadID, by caller: Caller
    ) async throws(MessagingError) {
        try await budgets.charge(caller.user.id)
        _ = try await set(update, of: thread, by: caller.user.id, as: .user(caller.user.id)) { roles in
            let info = try roles.thread(for: caller.user.id)
            guard let role = roles.requester else { throw MessagingError.notAMember }
            if let violation = ThreadRights.violation(update, as: Membership(thread: info, role: role)) {
                throw violation
            }
        }
    }

    /// Changes the details of any room at an operator's request.
    /// - Returns: The details after the change.
    package func setRoom(
        _ update: RoomUpdate, of thread: ThreadID, by requester: Operator
    ) async throws(MessagingError) -> RoomDetails {
        try await charge(requester)
        return try await set(
            update, of: thread, by: requester.author ?? LogEvent.operatorID, as: requester.actor
        ) { roles in
            guard let info = roles.thread else { throw MessagingError.noThread }
            if info.kind == .direct { throw RightsViolation.directThread }
        }
    }

    /// Returns the details of a thread that the caller may read; `nil` for a direct thread, and for a room that has been deleted
    /// since.
    package func details(of thread: ThreadInfo) async throws(MessagingError) -> RoomDetails? {
        guard thread.kind != .direct else { return nil }
        return try await read { try await ports.accounts.details(of: thread.id) }
    }

    private func set(
        _ update: RoomUpdate, of thread: ThreadID, by author: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws(MessagingError) -> RoomDetails {
        let update = try update.checked()
        let change = try await commit {
            try await ports.state.setRoom(update, of: thread, by: author, as: actor, authorize: authorize)
        }
        guard let changed = change.value else { throw .noThread }
        // Every node reads the changes at once, and applies the changes of rooms with members on it.
        if changed.before != changed.after { ports.bus.publish(.changed, to: .everyone) }
        return changed.after
    }
}

extension RoomUpdate {
    /// Returns the update with trimmed texts.
    /// - Throws: `invalid` for a text that misleads or has control characters, and for a slow mode out of range; `tooLarge`.
    func checked() throws(MessagingError) -> RoomUpdate {
        var update = self
        update.topic = try Self.check(topic, "topic", RoomOptions.topicScalars, isLine: true)
        update.description = try Self.check(description, "description", RoomDetails.descriptionScalars, isLine: false)
        update.rules = try Self.check(rules, "rules", RoomDetails.rulesScalars, isLine: false)
        if let slowSeconds, !(0...RoomOptions.longestSlowMode).contains(slowSeconds) {
            throw .invalid("slow_mode_seconds must be in the range 0...\(RoomOptions.longestSlowMode)")
        }
        return update
    }

    private static func check(
        _ text: String?, _ name: String, _ limit: Int, isLine: Bool
    ) throws(MessagingError) -> String? {
        guard let text else { return nil }
        let isSpace: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
        let head = text.unicodeScalars.drop(while: isSpace)
        let end = head.lastIndex { !isSpace($0) }.map { head.index(after: $0) } ?? head.startIndex
        let trimmed = String(head[..<end])
        guard trimmed.unicodeScalars.count <= limit else {
            throw .tooLarge("\(name) has more than \(limit) characters")
        }
        if trimmed.isEmpty { return trimmed }
        let controls: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
        let hasControl = trimmed.unicodeScalars.contains { scalar in
            controls.contains(scalar.properties.generalCategory) && (isLine || (scalar != "\n" && scalar != "\t"))
        }
        if hasControl { throw .invalid("\(name) contains a control character, which is not allowed") }
        if let violation = DisplayText.violation(in: trimmed) { throw .invalid("\(name) \(violation.explanation)") }
        return trimmed
    }
}
