import ParleyModel
import ParleyWire

/// The rules for sending.
extension RuleChecker {
    /// The server's treatment of a message.
    enum Disposition: Hashable {
        /// The message is not in the log yet.
        case new(String)
        /// The message is already in the log.
        case isRepeat(String)
        /// Another message has the same ID.
        case conflict
    }

    /// The number of messages with distinct `client_id`s.
    var sentCount: Int { sends.count }
    var confirmedCount: Int { sends.values.count { $0.confirmed != nil } }

    /// Checks a message of the client.
    mutating func sent(_ send: V1Send, hasRef: Bool, on connection: Int) -> Disposition {
        if !hasRef { report(.untilStored, "a message without a ref, which gets no ack") }
        if send.level != .stored { report(.untilStored, "a message that does not ask for the ack stored") }
        let id = send.clientID ?? "none-\(sends.count)"
        if send.clientID == nil { report(.clientID, "a message without a client_id") }
        if let id = send.clientID, ClientIDTime.milliseconds(of: id) == nil {
            report(.clientID, "the client_id \(id.prefix(70)), which is neither a UUIDv7 nor a ULID")
        }
        if let other = sends.first(where: { $0.key != id && $0.value.inFlightOn == connection }) {
            report(.oneAtATime, "\(id) was sent while \(other.key) was not answered")
        }
        guard var record = sends[id] else {
            var record = SendRecord(send, order: sends.count)
            record.inFlightOn = connection
            sends[id] = record
            return .new(id)
        }
        defer { sends[id] = record }
        guard record.send.thread == send.thread, record.send.content == send.content else {
            report(.unchanged, "\(id) was sent again with another content")
            return .conflict
        }
        if record.inFlightOn == connection {
            report(.oneAtATime, "\(id) was sent twice without waiting for the answer")
        }
        if record.isDead { report(.refused, "\(id) was sent again after it was refused for good") }
        if let due = record.notBefore, now + Self.tolerance < due {
            report(.wait, "\(id) was sent again \((due - now).milliseconds) ms too early")
        }
        if let confirmed = record.confirmed, confirmed.connection == connection || now - confirmed.at > Self.settled {
            report(.untilStored, "\(id) was sent again after it was confirmed")
        }
        record.notBefore = nil
        record.inFlightOn = connection
        return record.seq == nil ? .new(id) : .isRepeat(id)
    }

    /// Notes the position of a message in the log.
    mutating func logged(_ id: String, seq: Int64) {
        guard var record = sends[id] else { return }
        record.seq = seq
        sends[id] = record
        let overtaken = sends.first { $0.value.order < record.order && $0.value.seq == nil && !$0.value.isDead }
        if let overtaken { report(.order, "\(id) came before \(overtaken.key), which was sent first") }
    }

    /// Notes that the answer `accepted` was sent.
    mutating func acknowledged(_ id: String, isConfirmed: Bool, on connection: Int) {
        sends[id]?.inFlightOn = nil
        if isConfirmed { sends[id]?.confirmed = (connection, now) }
    }

    mutating func refused(_ id: String, notBefore: Duration?) {
        sends[id]?.inFlightOn = nil
        sends[id]?.notBefore = notBefore
        sends[id]?.isDead = notBefore == nil
    }

    /// Notes that the log has lost everything above `seq`.
    mutating func lost(above seq: Int64) {
        for (id, record) in sends where record.seq.map({ $0 > seq }) == true {
            sends[id]?.seq = nil
            sends[id]?.confirmed = nil
        }
    }

    /// After a client reports that the user has stopped typing, it may report typing again without a delay.
    mutating func typed(isOn: Bool) {
        guard isOn else { return typedAt = nil }
        if let typedAt, now - typedAt < .seconds(3) - Self.tolerance {
            report(.typing, "typing after \((now - typedAt).milliseconds) ms")
        }
        typedAt = now
    }
}

extension V1Send {
    /// The content that a repetition shares with the first send.
    fileprivate var content: V1Send {
        var content = self
        content.level = .accepted
        return content
    }
}
