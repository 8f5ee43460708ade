package import ParleyModel

/// Texts on their way into a store.
package enum StoredText {
    /// PostgreSQL's text type has no NUL, and SQLite's texts are bound as C strings, which end at the first NUL.
    package static func refuseNUL(in text: String, as field: String) throws(StoreError) {
        if text.utf8.contains(0) { throw .failed("the \(field) contains a NUL character, which is not allowed") }
    }
}

extension Membership.Role {
    /// - Throws: `StoreError.failed` for a role that is unknown to this version.
    package init(stored text: String) throws(StoreError) {
        guard let role = Self(rawValue: text) else { throw .failed("a member has the unknown role \(text)") }
        self = role
    }
}

extension ThreadInfo.Kind {
    /// - Throws: `StoreError.failed` for a kind that is unknown to this version.
    package init(stored text: String) throws(StoreError) {
        guard let kind = Self(rawValue: text) else { throw .failed("a thread is of the unknown kind \(text)") }
        self = kind
    }
}

extension RoomVisibility {
    /// - Throws: `StoreError.failed` for a visibility that is unknown to this version.
    package init(stored text: String) throws(StoreError) {
        guard let visibility = Self(rawValue: text) else { throw .failed("a room has the unknown visibility \(text)") }
        self = visibility
    }
}

extension RoomHistory {
    /// - Throws: `StoreError.failed` for a history that is unknown to this version.
    package init(stored text: String) throws(StoreError) {
        guard let history = Self(rawValue: text) else { throw .failed("a room has the unknown history \(text)") }
        self = history
    }
}

extension Sanction.Kind {
    /// - Throws: `StoreError.failed` for a kind that is unknown to this version.
    package init(stored text: String) throws(StoreError) {
        guard let kind = Self(rawValue: text) else { throw .failed("a sanction is of the unknown kind \(text)") }
        self = kind
    }
}

extension JoinRequest.State {
    /// - Throws: `StoreError.failed` for a state that is unknown to this version.
    package init(stored text: String) throws(StoreError) {
        guard let state = Self(rawValue: text) else { throw .failed("a request is in the unknown state \(text)") }
        self = state
    }
}

extension LogEvent.Kind {
    /// - Throws: `StoreError.failed` for a kind that is unknown to this version.
    package init(stored text: String) throws(StoreError) {
        guard let kind = Self(rawValue: text) else { throw .failed("an event is of the unknown kind \(text)") }
        self = kind
    }
}
