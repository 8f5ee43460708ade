import ParleyModel

/// One life of the data of a Redis server: from the start of its process, or its promotion to master, to the next.
///
/// A server that was restarted, and a replica that took over, may have lost the newest writes. A new process ID
/// indicates a restart, and a new replication ID a promotion, even if the process was master before.
package struct ServerIncarnation: Hashable, Sendable {
    /// The identity of the incarnation; `nil` if the server does not permit `INFO`, so that all its incarnations look alike.
    package let server: String?
    /// The mark of threads that were checked in this incarnation, 8 characters (`PackedHead.mark`).
    package let mark: String
    /// The mark of threads that were checked for readers only: the next append begins a new epoch.
    package let readMark: String

    /// The mark of a thread that was never checked.
    package static let unmarked = "        "
    /// The mark of commands of a node that does not know the incarnation; no thread has it.
    package static let unknown = "????????"
    private static let unnamed = "--------"

    /// - Parameters:
    ///   - process: The `run_id` of the server; empty if `INFO` is not permitted.
    ///   - replication: The `master_replid` of the server, or empty.
    package init(process: String, replication: String) {
        guard !process.isEmpty else {
            (server, mark, readMark) = (nil, Self.unnamed, Self.unnamed)
            return
        }
        let name = "\(process).\(replication)"
        let digits = FNV1a128.hex(of: name).suffix(7)
        (server, mark, readMark) = (name, "a\(digits)", "r\(digits)")
    }

    /// Whether a thread with this mark may be read.
    package func canRead(_ other: String) -> Bool { other == mark || other == readMark }

    /// Returns the replication ID in a reply to `INFO replication`; empty if there is none.
    static func replicationID(_ reply: RESPValue) -> String {
        let name = "master_replid:"
        let line = reply.text?.split(whereSeparator: \.isNewline).first { $0.hasPrefix(name) }
        return line.map { String($0.dropFirst(name.count)) } ?? ""
    }
}
