package import ParleyModel

extension ModelDatabase: UnseenLog {
    package func addUnseen(_ messages: [UnseenMessage]) async throws(StoreError) -> Set<UnseenMessage.ID> {
        try await write(.account) { tables, _ in
            var added: Set<UnseenMessage.ID> = []
            for message in messages.prefix(PushDevice.mostUsers) {
                guard let row = tables.users[message.id.user], row.isPresent,
                    row.suspension?.suspension.isInForce(at: message.milliseconds) != true,
                    !tables.unseen.contains(where: { message.id.isCovered(by: $0.message.id) })
                else { continue }
                let stamp = tables.nextStamp(in: .unseen, at: message.milliseconds)
                tables.unseen.append(Tables.UnseenRow(stamp: stamp, message: message))
                added.insert(message.id)
            }
            return added
        }
    }

    package func unseenMessage(_ id: UnseenMessage.ID) async throws(StoreError) -> UnseenMessage? {
        try await read(.page) { tables in
            tables.unseen.map(\.message).first { $0.id == id && tables.isShown($0) }
        }
    }

    package func pruneUnseen(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int {
        try await write(.account) { tables, _ in
            let old = tables.unseen.filter { $0.message.milliseconds < milliseconds }
                .sorted { ($0.message.milliseconds, $0.stamp) < ($1.message.milliseconds, $1.stamp) }
            let stamps = Set(old.prefix(max(limit, 0)).map(\.stamp))
            tables.removeUnseen { stamps.contains($0.stamp) }
            return stamps.count
        }
    }
}

extension UnseenMessage.ID {
    /// Whether another message is the same or a later one of the thread, for the same user.
    fileprivate func isCovered(by other: Self) -> Bool {
        other.user == user && other.thread == thread && other.position.epoch == position.epoch
            && other.position.seq >= position.seq
    }
}

extension Tables {
    /// Whether the message of a row is neither deleted nor erased.
    func isShown(_ message: UnseenMessage) -> Bool {
        guard let row = logs[message.id.thread]?.message(at: message.id.position.seq) else { return false }
        return row.epoch == message.id.position.epoch.text && !row.isGone
    }

    mutating func removeUnseen(where matches: (UnseenRow) -> Bool) {
        for row in unseen where matches(row) { expire(row.stamp, in: .unseen) }
        unseen.removeAll(where: matches)
    }
}
