import ParleyModel

/// The rules for connecting.
extension RuleChecker {
    /// The maximum number of attempts in two seconds. A client with more has no back-off.
    static let attemptsInTwoSeconds = 8

    /// - Parameter ticket: The number of the ticket in the handshake.
    mutating func attempted(ticket: Int?) {
        attempts.append(now)
        let recent = attempts.count { now - $0 < .seconds(2) }
        if recent > Self.attemptsInTwoSeconds { report(.backOff, "\(recent) attempts to connect within 2 s") }
        if attempts.count > 200 { attempts.removeFirst(100) }
        if let limit = noAttemptBefore, now + Self.tolerance < limit.at {
            report(limit.rule, "an attempt to connect \((limit.at - now).milliseconds) ms before \(limit.why)")
        }
        if let ticket, let ticketBan, ticket <= ticketBan.through {
            report(.ticket, "a ticket was used again \(ticketBan.why)")
        }
    }

    /// Returns the number of attempts since `time`.
    func attempts(since time: Duration) -> Int { attempts.count { $0 >= time } }

    /// Notes the end of a connection. Its open commands will not be answered.
    mutating func ended(_ connection: Int) {
        for (id, record) in sends where record.inFlightOn == connection { sends[id]?.inFlightOn = nil }
        typedAt = nil
        hole = nil
    }
}
