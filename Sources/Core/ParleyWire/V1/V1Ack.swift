package import ParleyModel

/// The acknowledgement of a command that was carried out.
package struct V1Ack: Hashable, Sendable {
    package var ref: Int64
    /// The thread that the command concerns, if it was not appended to a log.
    package var thread: ThreadID?
    /// The position of the event, if the command was appended to a log.
    package var receipt: Receipt?
    /// Only for a send.
    package var level: V1Send.Level?
    /// Only for a send with a `client_id`.
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
