package import ParleyModel
import ParleyRedisClient

/// The head of a thread's log as stored in Redis, 48 bytes: seq, messages, date and end of doubt, 8 bytes big-endian
/// each, then the epoch and the mark of the incarnation of Redis in which the thread was checked
/// (`ServerIncarnation`).
///
/// A string rather than a hash, since scripts pack and unpack it at a quarter of the cost. Only epochs that begin in
/// Redis are stored here; they have 8 characters.
package struct PackedHead: Hashable, Sendable {
    package var seq: Int64
    package var messageCount: Int64
    package var milliseconds: Int64
    /// The end of the thread's doubt: the time of its seed, or some minutes later if it had events then. A `clientID`
    /// made before and unknown to Redis must be looked up in the store. In Unix milliseconds.
    package var doubt: Int64
    package var epoch: Epoch
    /// 8 characters.
    package var mark: String

    package static var length: Int { 48 }

    package init(
        seq: Int64, messageCount: Int64, milliseconds: Int64, doubt: Int64 = 0, epoch: Epoch,
        mark: String = ServerIncarnation.unmarked
    ) {
        self.seq = seq
        self.messageCount = messageCount
        self.milliseconds = milliseconds
        self.doubt = doubt
        self.epoch = epoch
        self.mark = mark
    }

    /// Returns `nil` if there are fewer bytes, or a number that no log can contain; further bytes are ignored.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count >= Self.length else { return nil }
        var rest = bytes[...]
        func number() -> Int64 {
            defer { rest = rest.dropFirst(8) }
            return rest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
        }
        seq = number()
        messageCount = number()
        milliseconds = number()
        doubt = number()
        epoch = Epoch(String(decoding: rest.prefix(8), as: UTF8.self))
        mark = String(decoding: rest.dropFirst(8).prefix(8), as: UTF8.self)
        guard LogBounds.seqs.contains(seq), LogBounds.seqs.contains(messageCount),
            LogBounds.dates.contains(milliseconds), LogBounds.dates.contains(doubt)
        else { return nil }
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for number in [seq, messageCount, milliseconds, doubt] {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes + Array(epoch.text.utf8) + Array(mark.utf8)
    }

    package var position: Position { Position(epoch: epoch, seq: seq) }

    package var head: ThreadHead {
        ThreadHead(position: position, milliseconds: milliseconds, messageCount: messageCount)
    }
}
