import ParleyModel

/// A bot's sends that are not answered yet, in their order; at most `capacity`.
struct Outbox {
    struct Entry {
        /// 1, 2, 3 … for each bot; the `ref` of the command, too.
        let number: Int64
        /// Among the bot's seats.
        let membership: Int
        /// Monotone microseconds.
        let scheduled: Int64
        let size: Int
        let wantsStored: Bool
        /// Its `client_id`: one that proves by its time that it is new, as good clients' do.
        let name = UUIDv7(.system)
        /// Of the node that it was first written to: a repeat has the same text.
        var node: UInt32 = 0
        var wasWritten = false
        var isAccepted = false
        /// The server refused it for now.
        var waits = false
    }

    static let capacity = 64

    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// - Returns: whether there was room.
    mutating func append(_ entry: Entry) -> Bool {
        guard entries.count < Self.capacity else { return false }
        entries.append(entry)
        return true
    }

    func index(of number: Int64) -> Int? {
        entries.firstIndex { $0.number == number }
    }

    subscript(index: Int) -> Entry {
        get { entries[index] }
        _modify { yield &entries[index] }
    }

    @discardableResult
    mutating func remove(at index: Int) -> Entry {
        entries.remove(at: index)
    }

    mutating func removeAll(where isGone: (Entry) -> Bool) {
        entries.removeAll(where: isGone)
    }
}
