/// The unconfirmed entries, in order for each thread.
package struct ClientOutbox: Sendable {
    package private(set) var entries: [String: ClientOutboxEntry] = [:]
    /// The IDs of each thread's entries, in the order of their ordinals.
    private var order: [String: [String]] = [:]
    private var lastOrdinal = 0
    package private(set) var inFlightCount = 0
    /// The number of entries in flight, by thread, without zeros.
    private var inFlight: [String: Int] = [:]
    /// The number of entries that are neither confirmed nor refused, by thread, without zeros.
    private var pending: [String: Int] = [:]
    /// The IDs of each thread's entries with files to upload, in the order of their ordinals.
    private var uploading: [String: [String]] = [:]

    package init(_ stored: [ClientOutboxEntry] = []) {
        for entry in stored.sorted(by: { $0.ordinal < $1.ordinal }) { append(entry) }
    }

    package var count: Int { entries.count }
    package var threads: [String] { order.keys.sorted() }

    package subscript(id: String) -> ClientOutboxEntry? { entries[id] }

    package func entries(in thread: String) -> [ClientOutboxEntry] {
        (order[thread] ?? []).compactMap { entries[$0] }
    }

    /// Returns the newest message of a thread other than a message that is already shown.
    package func newestMessage(in thread: String, except shown: String?) -> ClientOutboxEntry? {
        (order[thread] ?? []).reversed().lazy.filter { $0 != shown }.compactMap { entries[$0] }.first(
            where: \.isMessage)
    }

    /// Returns the number of a thread's entries that are neither confirmed nor refused.
    package func pendingCount(in thread: String) -> Int { pending[thread] ?? 0 }

    /// The number of all entries that are neither confirmed nor refused.
    package var pendingCount: Int { pending.values.reduce(0, +) }

    /// Returns the ordinal of the next entry.
    package func nextOrdinal() -> Int { lastOrdinal + 1 }

    package mutating func append(_ entry: ClientOutboxEntry) {
        lastOrdinal = max(lastOrdinal, entry.ordinal)
        entries[entry.id] = entry
        order[entry.thread, default: []].append(entry.id)
        change(from: nil, to: entry)
    }

    package mutating func update(_ entry: ClientOutboxEntry) {
        guard let old = entries.updateValue(entry, forKey: entry.id) else {
            entries[entry.id] = nil
            return
        }
        change(from: old, to: entry)
    }

    package mutating func remove(_ id: String) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        change(from: entry, to: nil)
        if let index = order[entry.thread]?.firstIndex(of: id) { order[entry.thread]?.remove(at: index) }
        if order[entry.thread]?.isEmpty == true { order[entry.thread] = nil }
    }

    /// Updates the counts for an entry that was added, changed or removed.
    private mutating func change(from old: ClientOutboxEntry?, to new: ClientOutboxEntry?) {
        guard let thread = (new ?? old)?.thread else { return }
        func isTrue(_ entry: ClientOutboxEntry?, _ condition: (ClientOutboxEntry) -> Bool) -> Int {
            entry.map(condition) == true ? 1 : 0
        }
        let sent = isTrue(new) { $0.inFlight != nil } - isTrue(old) { $0.inFlight != nil }
        inFlightCount += sent
        Self.add(sent, to: &inFlight[thread])
        Self.add(isTrue(new, \.isPending) - isTrue(old, \.isPending), to: &pending[thread])
        switch (old?.needsUpload ?? false, new?.needsUpload ?? false) {
        case (false, true):
            if let new { beginUpload(new) }
        case (true, false):
            uploading[thread]?.removeAll { $0 == old?.id }
            if uploading[thread]?.isEmpty == true { uploading[thread] = nil }
        default: break
        }
    }

    private static func add(_ change: Int, to count: inout Int?) {
        guard change != 0 else { return }
        let sum = (count ?? 0) + change
        count = sum == 0 ? nil : sum
    }

    /// Queues an upload. A retried entry keeps its place before later ones.
    private mutating func beginUpload(_ entry: ClientOutboxEntry) {
        let ids = uploading[entry.thread] ?? []
        let earlier = ids.lastIndex { entries[$0].map { $0.ordinal < entry.ordinal } ?? true }
        uploading[entry.thread, default: []].insert(entry.id, at: earlier.map { $0 + 1 } ?? 0)
    }

    /// Returns the entry of a thread to send next, or `nil` while one is in flight, so that the server receives them in
    /// order. Messages wait for a message with an unfinished upload; changes of earlier messages do not.
    package func next(in thread: String) -> ClientOutboxEntry? {
        guard inFlight[thread] == nil else { return nil }
        var isUploading = false
        for id in order[thread] ?? [] {
            guard let entry = entries[id] else { continue }
            if entry.needsUpload {
                isUploading = true
            } else if entry.failure == nil, entry.needsSend, entry.command != nil, !(isUploading && entry.isMessage) {
                return entry
            }
        }
        return nil
    }

    /// The entry of each thread whose files are uploaded next, in the order of their ordinals.
    package var nextUploads: [ClientOutboxEntry] {
        guard !uploading.isEmpty else { return [] }
        return uploading.values.compactMap { $0.first.flatMap { entries[$0] } }.sorted { $0.ordinal < $1.ordinal }
    }

    /// Marks all unconfirmed entries of the last connection to be sent again.
    package mutating func connectionEnded() {
        entries = entries.mapValues(\.kept)
        inFlightCount = 0
        inFlight = [:]
    }
}
