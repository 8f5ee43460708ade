/// Temporary storage for the stamps of traced messages, shared by all nodes.
package protocol TraceStore: Sendable {
    /// Adds stamps of a message. Best effort, since nothing depends on them.
    func add(_ stamps: [TraceStamp], of message: MessageID) async

    /// All stamps of a message, in any order; empty if there are none or they have expired.
    func stamps(of message: MessageID) async throws(SharedStoreError) -> [TraceStamp]
}
