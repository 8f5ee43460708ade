import ParleyModel

/// What an `AppendScript` has answered.
enum AppendAnswer {
    case accepted(PackedHead)
    case sentBefore(PackedHead, MessageID?)
    case conflict
    /// Redis does not know the thread: the store must tell where it ends.
    case unknownThread
    /// Redis knows less of the thread than this node has seen: it must begin anew above that.
    case behind
    case otherEpoch
    /// Redis does not know the send, and may have forgotten it: the store must be asked.
    case unknownSend
    /// Redis does not know the script.
    case noScript
    case failed(String)

    /// Of the fingerprint, which stands between the head and the id of a message.
    private static var fingerprintLength: Int { 32 }

    init(_ result: Result<RESPValue, RedisError>) {
        switch result {
        case .success(.bulk(let bytes)): self = PackedHead(bytes).map { .accepted($0) } ?? .failed("unexpected answer")
        case .success(.array(let parts)): self = Self(parts) ?? .failed("unexpected answer")
        case .success(.error(let text)): self = text.hasPrefix("NOSCRIPT") ? .noScript : .failed(text)
        case .success: self = .failed("unexpected answer")
        case .failure(let error): self = .failed("\(error)")
        }
    }

    private init?(_ parts: [RESPValue]) {
        switch parts.first?.number {
        case 1:
            guard parts.count == 2, let first = parts[1].bytes, let head = PackedHead(first) else { return nil }
            let id = String(decoding: first.dropFirst(PackedHead.length + Self.fingerprintLength), as: UTF8.self)
            self = .sentBefore(head, MessageID(id))
        case 2: self = .conflict
        case 3: self = .unknownThread
        case 4: self = .otherEpoch
        case 5: self = .unknownSend
        case 6: self = .behind
        default: return nil
        }
    }
}
