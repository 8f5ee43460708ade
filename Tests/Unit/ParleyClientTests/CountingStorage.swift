import ParleyClient
import Synchronization

/// A storage that counts the messages that are read from it.
final class CountingStorage: ChatStorage {
    private let storage: any ChatStorage
    private let count = Atomic(0)

    init(_ storage: any ChatStorage) { self.storage = storage }

    var messagesRead: Int { count.load(ordering: .relaxed) }

    private func counted(_ messages: [StoredMessage]) -> [StoredMessage] {
        count.add(messages.count, ordering: .relaxed)
        return messages
    }

    private func counted(_ message: StoredMessage?) -> StoredMessage? {
        count.add(message == nil ? 0 : 1, ordering: .relaxed)
        return message
    }

    func load() throws -> StoredState { try storage.load() }
    func apply(_ changes: [StoreChange]) throws { try storage.apply(changes) }
    func messages(in thread: String, from: Int, to: Int, limit: Int, newest: Bool) throws -> [StoredMessage] {
        counted(try storage.messages(in: thread, from: from, to: to, limit: limit, newest: newest))
    }
    func notices(in thread: String, from: Int, to: Int, limit: Int) throws -> [ChatNotice] {
        try storage.notices(in: thread, from: from, to: to, limit: limit)
    }
    func range(in thread: String, containing seq: Int) throws -> ClosedRange<Int>? {
        try storage.range(in: thread, containing: seq)
    }
    func message(in thread: String, seq: Int) throws -> StoredMessage? {
        counted(try storage.message(in: thread, seq: seq))
    }
    func message(in thread: String, named id: String) throws -> StoredMessage? {
        counted(try storage.message(in: thread, named: id))
    }
    func newestMessage(in thread: String) throws -> StoredMessage? { counted(try storage.newestMessage(in: thread)) }
    func seq(ofNewest count: Int, in thread: String) throws -> Int? {
        try storage.seq(ofNewest: count, in: thread)
    }
    func unread(in thread: String, after seq: Int, by user: String) throws -> Int {
        try storage.unread(in: thread, after: seq, by: user)
    }
    func cachedCounts() throws -> [String: Int] { try storage.cachedCounts() }
    func close() { storage.close() }
}
