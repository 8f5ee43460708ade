package import ParleyModel

/// The head of a thread's log as its key holds it, 40 bytes: seq, messages, date and the end of doubt, big-endian with
/// 8 bytes each, then the epoch.
///
/// A string and not a hash, since scripts pack and unpack it at a quarter of the cost. An epoch that begins in Redis has
/// 8 characters; no other gets there.
package struct PackedHead: Hashable, Sendable {
    package var seq: Int64
    package var messageCount: Int64
    package var milliseconds: Int64
    /// A `clientID` that was made before, and which Redis does not know, must be looked for in the store: the thread was
    /// seeded then, or some minutes before if it had events. Unix milliseconds; 0 in a head of a version before.
    package var doubt: Int64
    package var epoch: Epoch

    package static var length: Int { 40 }

    package init(seq: Int64, messageCount: Int64, milliseconds: Int64, doubt: Int64 = 0, epoch: Epoch) {
        self.seq = seq
        self.messageCount = messageCount
        self.milliseconds = milliseconds
        self.doubt = doubt
        self.epoch = epoch
    }

    /// `nil` if there are not as many bytes; what follows them is not looked at.
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
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for number in [seq, messageCount, milliseconds, doubt] {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes + Array(epoch.text.utf8)
    }

    package var position: Position { Position(epoch: epoch, seq: seq) }

    package var head: ThreadHead {
        ThreadHead(position: position, milliseconds: milliseconds, messageCount: messageCount)
    }
}
