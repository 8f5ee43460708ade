import ParleyStorage

/// The entries that a batch rejects.
struct PendingRejects {
    private var entries: [RejectedEntry] = []

    mutating func add(_ entry: RejectedEntry) {
        entries.append(entry)
    }

    /// The statement that writes them, if there are any.
    func calls(partition: Int, incarnation: String, at milliseconds: Int64) -> [Call] {
        guard !entries.isEmpty else { return [] }
        return [
            WriteQueries.reject(
                .int(Int64(partition)), .text(incarnation), .texts(entries.map(\.offset)),
                .texts(entries.map(\.reason)), .byteStrings(entries.map(\.bytes)), .int(milliseconds),
                .optionalTexts(entries.map(\.thread)), .optionalTexts(entries.map(\.user)),
                .optionalTexts(entries.map(\.message)))
        ]
    }
}
