/// Entries that a batch sets aside.
struct PendingRejects {
    private var offsets: [String] = []
    private var reasons: [String] = []
    private var bytes: [[UInt8]] = []

    mutating func add(offset: String, reason: String, bytes: [UInt8]) {
        offsets.append(offset)
        reasons.append(reason)
        self.bytes.append(bytes)
    }

    /// The statement that writes them, if there are any.
    func calls(partition: Int, incarnation: String, at milliseconds: Int64) -> [Call] {
        guard !offsets.isEmpty else { return [] }
        return [
            WriteQueries.reject(
                .int(Int64(partition)), .text(incarnation), .texts(offsets), .texts(reasons), .byteStrings(bytes),
                .int(milliseconds))
        ]
    }
}
