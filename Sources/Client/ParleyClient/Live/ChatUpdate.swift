/// A snapshot of a live collection and its difference from the previous snapshot of the same iteration.
///
/// ```swift
/// for await update in await client.messages(in: thread) {
///     apply(update.changes, with: update.items)
/// }
/// ```
public struct ChatUpdate<Item: Identifiable & Hashable & Sendable>: Sendable where Item.ID: Sendable {
    /// The complete content, in order.
    public let items: [Item]
    /// The difference from the previous snapshot. In the first snapshot all items are inserted.
    public let changes: ChatChanges
    /// A Boolean value that indicates whether older items exist on the device or the server.
    public let hasOlder: Bool
    /// A Boolean value that indicates whether newer items exist. While it is `true`, new messages are not shown.
    public let hasNewer: Bool
    /// The notices in the visible part of a thread, ascending by `seq`.
    ///
    /// Only collections of messages have notices; the newest ones are included, at most
    /// ``ChatConfiguration/windowLimit``. ``changes`` does not cover notices, and an update may contain no other
    /// change.
    public let notices: [ChatNotice]

    /// Creates an update.
    /// - Parameters:
    ///   - items: The complete content, in order.
    ///   - previous: The items of the previous snapshot, from which ``changes`` is computed.
    ///   - hasOlder: Whether older items exist.
    ///   - hasNewer: Whether newer items exist.
    ///   - notices: The notices in the visible part of a thread.
    public init(
        items: [Item], previous: [Item] = [], hasOlder: Bool = false, hasNewer: Bool = false,
        notices: [ChatNotice] = []
    ) {
        self.notices = notices
        self.items = items
        self.hasOlder = hasOlder
        self.hasNewer = hasNewer
        changes = ChatChanges(from: previous, to: items)
    }
}

/// The difference between two snapshots, in the order that collection and table views expect: removals from the end,
/// then insertions from the start, then updates.
public struct ChatChanges: Hashable, Sendable {
    /// The offsets of removed items in the previous snapshot, descending.
    public let removed: [Int]
    /// The offsets of inserted items in the new snapshot, ascending.
    public let inserted: [Int]
    /// The offsets of changed items in the new snapshot, ascending.
    public let updated: [Int]

    /// A Boolean value that indicates whether both snapshots are equal.
    public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && updated.isEmpty }

    /// Computes the difference between two snapshots.
    /// - Parameters:
    ///   - old: The items of the previous snapshot. IDs are unique.
    ///   - new: The items of the new snapshot.
    public init<Item: Identifiable & Hashable>(from old: [Item], to new: [Item]) {
        var removed: [Int] = []
        var inserted: [Int] = []
        for change in new.map(\.id).difference(from: old.map(\.id)) {
            switch change {
            case .remove(let offset, _, _): removed.append(offset)
            case .insert(let offset, _, _): inserted.append(offset)
            }
        }
        let before = Dictionary(old.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        let isNew = Set(inserted)
        self.removed = removed.sorted(by: >)
        self.inserted = inserted.sorted()
        updated = new.indices.filter { !isNew.contains($0) && before[new[$0].id] != new[$0] }
    }
}
