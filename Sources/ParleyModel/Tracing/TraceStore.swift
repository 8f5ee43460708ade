/// Where the stamps of traced messages are kept for a while, for all nodes.
package protocol TraceStore: Sendable {
    /// Adds stamps of a message; as well as it can, since nothing depends on them.
    func add(_ stamps: [TraceStamp], of message: MessageID) async

    /// All stamps of a message, in any order; empty if there are none any more, or never were.
    func stamps(of message: MessageID) async throws(SharedStoreError) -> [TraceStamp]
}
