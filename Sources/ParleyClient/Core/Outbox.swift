/// The entries that are not confirmed, in order for each thread.
package struct Outbox: Sendable {
    package private(set) var entries: [String: OutboxEntry] = [:]
    /// The ids of each thread's entries, in the order of their ordinals.
    private var order: [String: [String]] = [:]
    private var lastOrdinal = 0
    package private(set) var inFlightCount = 0
    /// By thread, without zeros.
    private var inFlight: [String: Int] = [:]
    /// The ids of entries with files that are to be uploaded.
    private var uploading: Set<String> = []

    package init(_ stored: [OutboxEntry] = []) {
        for entry in stored.sorted(by: { $0.ordinal < $1.ordinal }) { append(entry) }
    }

    package var count: Int { entries.count }
    package var threads: [String] { order.keys.sorted() }

    package subscript(id: String) -> OutboxEntry? { entries[id] }

    package func entries(in thread: String) -> [OutboxEntry] {
        (order[thread] ?? []).compactMap { entries[$0] }
    }

    /// The ordinal of the next entry.
    package func nextOrdinal() -> Int { lastOrdinal + 1 }

    package mutating func append(_ entry: OutboxEntry) {
        lastOrdinal = max(lastOrdinal, entry.ordinal)
        entries[entry.id] = entry
        order[entry.thread, default: []].append(entry.id)
        if entry.needsUpload { uploading.insert(entry.id) }
    }

    package mutating func update(_ entry: OutboxEntry) {
        guard let old = entries[entry.id] else { return }
        count(entry.thread, (entry.inFlight == nil ? 0 : 1) - (old.inFlight == nil ? 0 : 1))
        entries[entry.id] = entry
        if entry.needsUpload { uploading.insert(entry.id) } else { uploading.remove(entry.id) }
    }

    package mutating func remove(_ id: String) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if entry.inFlight != nil { count(entry.thread, -1) }
        uploading.remove(id)
        if let index = order[entry.thread]?.firstIndex(of: id) { order[entry.thread]?.remove(at: index) }
        if order[entry.thread]?.isEmpty == true { order[entry.thread] = nil }
    }

    private mutating func count(_ thread: String, _ change: Int) {
        guard change != 0 else { return }
        inFlightCount += change
        let count = (inFlight[thread] ?? 0) + change
        inFlight[thread] = count == 0 ? nil : count
    }

    /// The entry of a thread that is to be sent next; `nil` while one is in flight, so that the server gets them in order.
    /// Messages wait for one whose files are being uploaded; changes of earlier messages do not.
    package func next(in thread: String) -> OutboxEntry? {
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

    /// The entries with files to be uploaded, in the order in which they were sent.
    package var withFiles: [OutboxEntry] {
        guard !uploading.isEmpty else { return [] }
        return uploading.compactMap { entries[$0] }.sorted { $0.ordinal < $1.ordinal }
    }

    /// All that was not confirmed on the last connection is to be sent again.
    package mutating func connectionEnded() {
        entries = entries.mapValues(\.kept)
        inFlightCount = 0
        inFlight = [:]
    }
}
