/// What the core knows of a thread.
package struct ThreadRecord: Hashable, Sendable {
    package let id: String
    package var title: String
    package var kind: ChatThread.Kind
    package var role: ChatRole
    /// The position up to which events were received, or skipped where nothing is cached.
    package var epoch: String
    package var seq: Int
    /// Events up to here exist, and are to be fetched if they are above `seq`.
    package var target: Int
    /// Whether messages are cached, so that no event may be skipped.
    package var hasCache = false
    package var unread: Int
    package var readSeq: Int
    /// `unread` counts events up to here.
    package var countedSeq: Int
    /// A read mark that the server has not acknowledged.
    package var pendingRead: Int?
    /// Milliseconds since 1970.
    package var activity: Int64 = 0
    /// Of other members; bounded by `maximumReceipts`.
    package var receipts: [String: ReadReceipt] = [:]

    // Not kept.

    /// A `history` for what is missing is under way.
    package var isFetching = false
    package var isReadInFlight = false

    package static let maximumReceipts = 256

    package init(_ fields: ServerFrame.ThreadFields) {
        id = fields.id
        title = fields.title
        kind = fields.kind
        role = fields.role
        epoch = fields.epoch
        seq = fields.seq
        target = fields.seq
        unread = fields.unread
        readSeq = fields.readSeq
        countedSeq = fields.seq
    }

    /// What the server's description says, without the position.
    package mutating func update(_ fields: ServerFrame.ThreadFields) {
        title = fields.title
        kind = fields.kind
        role = fields.role
        if pendingRead == nil {
            readSeq = fields.readSeq
            unread = fields.unread
            countedSeq = fields.seq
        }
    }

    /// Starts over without a cache at a position.
    package mutating func reset(epoch: String, seq: Int) {
        self.epoch = epoch
        self.seq = seq
        target = seq
        hasCache = false
        isFetching = false
    }
}
