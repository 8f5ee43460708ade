package import ParleyModel

/// What a client is told of a command that was carried out.
package struct V1Ack: Hashable, Sendable {
    package var ref: Int64
    /// The thread, if the command entered no log but is about one.
    package var thread: ThreadID?
    /// Where the event stands, if the command entered a log.
    package var receipt: Receipt?
    /// Of a send.
    package var level: V1Send.Level?
    /// Of a send that had one.
    package var clientID: String?

    package init(
        ref: Int64, thread: ThreadID? = nil, receipt: Receipt? = nil, level: V1Send.Level? = nil,
        clientID: String? = nil
    ) {
        self.ref = ref
        self.thread = thread
        self.receipt = receipt
        self.level = level
        self.clientID = clientID
    }
}
