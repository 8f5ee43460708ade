import ParleyModel

/// What `RedisScript.append` has answered.
enum AppendAnswer {
    case accepted(Position, milliseconds: Int64, messageCount: Int64, isDoubtful: Bool)
    case sentBefore(Position, milliseconds: Int64, MessageID?)
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

    init(_ result: Result<RESPValue, RedisError>) {
        switch result {
        case .success(.error(let text)): self = text.hasPrefix("NOSCRIPT") ? .noScript : .failed(text)
        case .success(.array(let parts)): self = Self(parts) ?? .failed("unexpected answer")
        case .success: self = .failed("unexpected answer")
        case .failure(let error): self = .failed("\(error)")
        }
    }

    private init?(_ parts: [RESPValue]) {
        switch parts.first?.number {
        case 0:
            guard parts.count == 6, let seq = parts[1].number, let date = parts[2].number, let epoch = parts[3].text,
                let count = parts[5].number
            else { return nil }
            self = .accepted(
                Position(epoch: Epoch(epoch), seq: seq), milliseconds: date, messageCount: count,
                isDoubtful: parts[4].number == 1)
        case 1:
            let words = (parts.count == 2 ? parts[1].text ?? "" : "").split(separator: " ")
            guard words.count == 5, let seq = Int64(words[2]), let date = Int64(words[3]) else { return nil }
            self = .sentBefore(
                Position(epoch: Epoch(String(words[1])), seq: seq), milliseconds: date, MessageID(String(words[4])))
        case 2: self = .conflict
        case 3: self = .unknownThread
        case 4: self = .otherEpoch
        case 5: self = .unknownSend
        case 6: self = .behind
        default: return nil
        }
    }
}
