import ParleyModel

/// The messages of one user.
extension Tables {
    typealias Sent = (thread: ThreadID, row: MessageRow)

    /// The logs with rows of a user, in the byte order of the threads' ids.
    func logThreads(of user: UserID) -> [ThreadID] {
        (logsByUser[user] ?? []).filter { logs[$0] != nil }.sorted { $0.text < $1.text }
    }

    /// All messages that a user has sent, in the order of thread and seq.
    func sent(by user: UserID) -> [Sent] {
        logThreads(of: user).flatMap { id in
            (logs[id]?.messages ?? []).lazy.filter { $0.sender == user }.map { (id, $0) }
        }
    }

    /// The sends of a user that own their `client_id`, in the byte order of these ids, after one of them.
    func named(by user: UserID, after clientID: String?, limit: Int) -> [Sent] {
        let named = sent(by: user).compactMap { sent in sent.row.clientID.map { (ByteText($0), sent) } }
        let start = clientID.map { ByteText($0) }
        return named.filter { name, _ in start.map { $0 < name } ?? true }
            .sorted { $0.0 < $1.0 }.prefix(max(limit, 0)).map(\.1)
    }

    /// The others, in the order of thread and seq, after one.
    func unnamed(by user: UserID, after place: (thread: ThreadID, seq: Int64)?, limit: Int) -> [Sent] {
        let rest = sent(by: user).filter { sent in
            guard sent.row.clientID == nil else { return false }
            return place.map { ($0.thread.text, $0.seq) < (sent.thread.text, sent.row.seq) } ?? true
        }
        return Array(rest.prefix(max(limit, 0)))
    }
}
