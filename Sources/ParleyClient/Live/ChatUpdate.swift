/// A snapshot of a live collection, and how it differs from the one that the same iteration returned before.
public struct ChatUpdate<Item: Identifiable & Hashable & Sendable>: Sendable where Item.ID: Sendable {
    /// The whole content, in order.
    public let items: [Item]
    /// The difference to the previous snapshot; in the first one all items are inserted.
    public let changes: ChatChanges
    /// Whether there is more before the first item: older messages, on the server if not on this device.
    public let hasOlder: Bool
    /// Whether there is more after the last item; new messages are then not shown until the end is reached.
    public let hasNewer: Bool
    /// In a collection of messages: what else happened in the part of the thread that it shows, ascending by `seq`; the
    /// newest, at most ``ChatConfiguration/windowLimit``. Not part of `changes`; an update may bring notices only.
    public let notices: [ChatNotice]

    init(items: [Item], previous: [Item], hasOlder: Bool, hasNewer: Bool, notices: [ChatNotice] = []) {
        self.notices = notices
        self.items = items
        self.hasOlder = hasOlder
        self.hasNewer = hasNewer
        changes = ChatChanges(from: previous, to: items)
    }
}

/// The difference between two snapshots, in the form that collection and table views take: first the removals, from the
/// end, then the insertions, from the start, then the updates.
public struct ChatChanges: Hashable, Sendable {
    /// Offsets in the previous snapshot, descending.
    public let removed: [Int]
    /// Offsets in the new snapshot, ascending.
    public let inserted: [Int]
    /// Offsets in the new snapshot of items that were there before with another content, ascending.
    public let updated: [Int]

    /// Whether both snapshots are equal.
    public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && updated.isEmpty }

    init<Item: Identifiable & Hashable>(from old: [Item], to new: [Item]) {
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
