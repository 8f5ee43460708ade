import ParleyAccounts
package import ParleyModel

/// The settings for new rooms.
package struct RoomSettings: Hashable, Sendable {
    /// The users who may create a room by joining a title that no room has. Back ends, imports and the command line always may.
    package enum Makers: String, CaseIterable, Sendable {
        case everyone, operators, nobody
    }

    package var makers: Makers
    /// The visibility of a room that is created without one.
    package var visibility: RoomVisibility
    /// The visibility of a room that is imported without one.
    package var importVisibility: RoomVisibility
    /// The names in `auth.admins`.
    package var operatorNames: Set<String>

    package init(
        makers: Makers = .everyone, visibility: RoomVisibility = .public, importVisibility: RoomVisibility = .private,
        operatorNames: Set<String> = []
    ) {
        self.makers = makers
        self.visibility = visibility
        self.importVisibility = importVisibility
        self.operatorNames = operatorNames
    }
}

extension Messaging {
    /// Whether a user may create rooms. Only called when a room would be created.
    func mayMakeRooms(_ caller: Caller) async throws(MessagingError) -> Bool {
        switch rooms.makers {
        case .everyone: return true
        case .nobody: return false
        case .operators:
            if let identity = caller.identity {
                if identity.isOperatorByCredential { return true }
                if identity.isForeign { return false }
            }
            let status = try await read { try await ports.accounts.operatorStatus(of: caller.user.id) }
            return status?.isOperator(byName: rooms.operatorNames.contains(caller.user.name)) ?? false
        }
    }
}
