import ParleyModel

/// A bot's sends that are not answered yet, in their order; at most `capacity`.
struct UnansweredSends {
    struct Entry {
        /// 1, 2, 3 … for each bot; also the `ref` of the command.
        let number: Int64
        /// The index among the bot's memberships.
        let membership: Int
        /// Monotonic microseconds.
        let scheduled: Int64
        let size: Int
        let wantsStored: Bool
        /// The `client_id`: a UUIDv7, whose time shows the server that it is new, as recommended to clients.
        let name = UUIDv7(.system)
        /// The node that it was first written to: a repeat has the same text.
        var node: UInt32 = 0
        var wasWritten = false
        var isAccepted = false
        /// The server has rejected it for now.
        var waits = false
    }

    static let capacity = 64

    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// - Returns: whether it fits.
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
