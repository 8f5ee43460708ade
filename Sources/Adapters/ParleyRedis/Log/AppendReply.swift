package import ParleyModel
package import ParleyRedisClient

/// The reply to an `AppendScript`.
package enum AppendReply: Sendable {
    /// The first of several sends with one `clientID`, as Redis remembers it.
    package struct First: Sendable {
        let head: PackedHead
        /// The digest of the send, in the form of `SendDigest`.
        let digest: String
        let message: MessageID?

        private static var digestLength: Int { 32 }

        package init(head: PackedHead, digest: String, message: MessageID?) {
            self.head = head
            self.digest = digest
            self.message = message
        }

        fileprivate init?(_ bytes: [UInt8]) {
            guard let head = PackedHead(bytes) else { return nil }
            self.head = head
            let rest = bytes.dropFirst(PackedHead.length)
            digest = String(decoding: rest.prefix(Self.digestLength), as: UTF8.self)
            message = MessageID(String(decoding: rest.dropFirst(Self.digestLength), as: UTF8.self))
        }

        func receipt(in thread: ThreadID) -> Receipt {
            Receipt(
                thread: thread, position: head.position, milliseconds: head.milliseconds, messageID: message,
                isRepeat: true)
        }
    }

    /// The event was accepted.
    /// - Parameter time: the clock of Redis, which the thread's date may be ahead of; in Unix milliseconds.
    case accepted(PackedHead, time: Int64)
    case sentBefore(First)
    /// The `clientID` was used with another digest.
    case usedBefore(First)
    /// The thread is unknown to Redis: the store must report its end.
    case unknownThread
    /// Redis has less of the thread than this node has seen: a new epoch must begin above that.
    case behind
    case otherEpoch
    /// The thread must be checked against the store first: Redis may have lost a part of it.
    case unchecked
    /// The send is unknown to Redis, and its `clientID` does not prove that it is new: the store must be queried.
    case unknownSend
    /// The message was withdrawn before it was appended.
    case withdrawn
    /// The script is unknown to Redis.
    case noScript
    case failed(String)

    package init(_ result: Result<RESPValue, RedisError>) {
        switch result {
        case .success(.bulk(let bytes)): self = Self(accepted: bytes) ?? .failed("unexpected answer")
        case .success(.array(let parts)): self = Self(parts) ?? .failed("unexpected answer")
        case .success(.error(let text)): self = text.hasPrefix("NOSCRIPT") ? .noScript : .failed(text)
        case .success: self = .failed("unexpected answer")
        case .failure(let error): self = .failed("\(error)")
        }
    }

    /// The head, followed by the time of Redis if that is not the head's date.
    private init?(accepted bytes: [UInt8]) {
        guard let head = PackedHead(bytes) else { return nil }
        let bytes = bytes.dropFirst(PackedHead.length).prefix(8)
        let time: Int64 = bytes.isEmpty ? head.milliseconds : bytes.reduce(0) { $0 << 8 | Int64($1) }
        guard LogBounds.dates.contains(time) else { return nil }
        self = .accepted(head, time: time)
    }

    private init?(_ parts: [RESPValue]) {
        switch parts.first?.number {
        case 1, 2:
            guard parts.count == 2, let first = parts[1].bytes.flatMap({ First($0) }) else { return nil }
            self = parts[0].number == 1 ? .sentBefore(first) : .usedBefore(first)
        case 3: self = .unknownThread
        case 4: self = .otherEpoch
        case 5: self = .unknownSend
        case 6: self = .behind
        case 7: self = .withdrawn
        case 8: self = .unchecked
        default: return nil
        }
    }
}

/// The reply to `RedisScripts.claim`.
package enum ClaimReply: Hashable, Sendable {
    /// Another send has the `clientID`.
    case taken
    /// The send has it; the host has stored claims since this time, in Unix milliseconds.
    case since(Int64)
    /// The script is unknown to Redis.
    case noScript
    case failed

    init(_ result: Result<RESPValue, RedisError>) {
        switch result {
        case .success(.integer(-1)): self = .taken
        case .success(.integer(let since)): self = .since(since)
        case .success(.error(let text)) where text.hasPrefix("NOSCRIPT"): self = .noScript
        case .success, .failure: self = .failed
        }
    }
}
