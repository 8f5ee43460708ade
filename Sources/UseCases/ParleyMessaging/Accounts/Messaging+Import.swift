import ParleyAccounts
package import ParleyModel

/// A record of an import, and the password that has not been hashed yet.
package struct ImportItem: Sendable {
    package var record: ImportRecord
    /// The password in plain text. Only users have one.
    package var password: String?

    package init(record: ImportRecord, password: String? = nil) {
        self.record = record
        self.password = password
    }
}

/// Imports by a back end.
extension Messaging {
    /// The maximum number of passwords that are being hashed or waiting for it.
    private static let hashing = 4

    /// Imports records in one transaction. The live sockets of new members are notified. No event enters a log
    /// (docs/decisions/009-imports-write-no-events.md).
    /// - Returns: One outcome for each item.
    /// - Throws: Errors of the database and of the password workers. Nothing was imported then.
    package func importRecords(
        _ items: [ImportItem], by _: BackEnd
    ) async throws(MessagingError) -> [ImportOutcome] {
        let records = try await read { try await hashingPasswords(of: items) }
        // The id of a deleted room may be reused. Nothing of the old room may appear in the new one.
        try await ensureRemoved(records.compactMap { if case .room(let id, _, _, _) = $0 { id } else { nil } })
        let outcomes = try await read {
            try await ports.accounts.importRecords(records, origin: .apiKey, by: nil, at: clock.milliseconds)
        }
        for (record, outcome) in zip(records, outcomes) { announce(outcome, of: record) }
        return outcomes
    }

    /// Invalidates cached data of the users, on this node and on nodes with their sockets.
    private func announce(_ outcome: ImportOutcome, of record: ImportRecord) {
        switch (outcome, record) {
        case (.added, .user(let user, _)): ports.directory.forget(user: user)
        case (.joined(let user, let membership, let after), _):
            ports.bus.publish(.added(membership, after: after), to: user.id)
        default: break
        }
    }

    /// Hashes the passwords of new users only, since existing users keep theirs, and hashing is slow.
    private func hashingPasswords(of items: [ImportItem]) async throws -> [ImportRecord] {
        var records = items.map(\.record)
        var newcomers = try await newcomers(items)[...]
        let hash = hash
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (index, password) in newcomers.prefix(Self.hashing) {
                group.addTask { (index, try await hash(password)) }
            }
            newcomers = newcomers.dropFirst(Self.hashing)
            while let (index, hashed) = try await group.next() {
                if case .user(let user, _) = records[index] { records[index] = .user(user, passwordHash: hashed) }
                guard let (index, password) = newcomers.popFirst() else { continue }
                group.addTask { (index, try await hash(password)) }
            }
        }
        return records
    }

    /// Returns the indexes of new users with a password. They are looked up concurrently, so that they share one query.
    private func newcomers(_ items: [ImportItem]) async throws -> [(index: Int, password: String)] {
        let directory = ports.directory
        return try await withThrowingTaskGroup(of: (index: Int, password: String)?.self) { group in
            for (index, item) in items.enumerated() {
                guard case .user(let user, _) = item.record, let password = item.password else { continue }
                group.addTask { try await directory.user(user.id) == nil ? (index, password) : nil }
            }
            return try await group.reduce(into: []) { if let newcomer = $1 { $0.append(newcomer) } }
        }
    }
}
