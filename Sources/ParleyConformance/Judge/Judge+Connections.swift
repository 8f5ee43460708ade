import ParleyModel

/// The rules of connecting.
extension Judge {
    /// More attempts than this in two seconds are no back-off.
    static let attemptsInTwoSeconds = 8

    /// - Parameter ticket: The number of the ticket that the handshake presents.
    mutating func attempted(ticket: Int?) {
        attempts.append(now)
        let recent = attempts.count { now - $0 < .seconds(2) }
        if recent > Self.attemptsInTwoSeconds { breaks(.backOff, "\(recent) attempts to connect within 2 s") }
        if attempts.count > 200 { attempts.removeFirst(100) }
        if let limit = noAttemptBefore, now + Self.tolerance < limit.at {
            breaks(limit.rule, "an attempt to connect \((limit.at - now).milliseconds) ms before \(limit.why)")
        }
        if let ticket, let ticketBan, ticket <= ticketBan.through {
            breaks(.ticket, "a ticket was used again \(ticketBan.why)")
        }
    }

    /// How many attempts there were since `time`.
    func attempts(since time: Duration) -> Int { attempts.count { $0 >= time } }

    /// A connection has ended: what is not answered on it never will be.
    mutating func ended(_ connection: Int) {
        for (id, record) in sends where record.inFlightOn == connection { sends[id]?.inFlightOn = nil }
        typedAt = nil
        hole = nil
    }
}
