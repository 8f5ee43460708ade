import ParleyAccounts
package import ParleyModel

/// How rooms are made.
package struct RoomSettings: Hashable, Sendable {
    /// Who may create rooms by a title. Back ends, imports and the command line always may.
    package enum Makers: String, CaseIterable, Sendable {
        case everyone, operators, nobody
    }

    package var makers: Makers
    /// Of a room that is made without naming one.
    package var visibility: RoomVisibility
    /// Of a room that an import brings without naming one.
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
    /// Whether a user may create rooms. Only asked when a room would be created.
    func mayMakeRooms(_ caller: Caller) async throws(MessagingError) -> Bool {
        switch rooms.makers {
        case .everyone: return true
        case .nobody: return false
        case .operators:
            if let identity = caller.identity {
                if identity.isOperatorByCredential { return true }
                if identity.isForeign { return false }
            }
            let status = try await commit { try await ports.accounts.operatorStatus(of: caller.user.id) }
            return status?.isOperator(byName: rooms.operatorNames.contains(caller.user.name)) ?? false
        }
    }
}
