import NIOCore
import ParleyModel
import ParleyWire

/// Handshakes, hello, and the ends of connections.
extension ScenarioMachine {
    mutating func attempted(_ number: Int, _ handshake: Handshake) {
        note("<", handshake.ticket == nil ? "handshake" : "handshake with a ticket", on: number)
        let ticket = handshake.ticket.flatMap { tickets.number(of: $0) }
        checker.attempted(ticket: ticket)
        if let fault = handshake.fault {
            checker.report(.frames, fault.explanation)
            return reject(number, 400)
        }
        if let refusal = refusal() { return reject(number, refusal.status, retryAfter: refusal.retryAfter) }
        if handshake.ticket != nil {
            guard let ticket, ticket > tickets.refusedThrough else {
                if ticket != nil { banTickets("after it was refused") }
                return reject(number, 401)
            }
        } else if !handshake.isAuthorized {
            return reject(number, 401)
        }
        guard handshake.isV1 else {
            checker.report(.frames, "a handshake without Sec-WebSocket-Protocol: parley.v1")
            return reject(number, 400)
        }
        if let link { ended(link.number) }
        accept(number)
    }

    private mutating func reject(_ number: Int, _ status: Int, retryAfter: Int? = nil) {
        note(">", "\(status)\(retryAfter.map { ", Retry-After: \($0)" } ?? "")", on: number)
        actions.append(.reject(number, status: status, retryAfter: retryAfter))
    }

    /// Whether attempts to connect and REST calls are refused.
    var isRefusing: Bool { refusesAll || now < refusedUntil }

    private mutating func refusal() -> (status: Int, retryAfter: Int?)? {
        if isForbidden {
            wasForbidden = true
            mustStop("after 403")
            return (403, nil)
        }
        if refusesAll { return (503, nil) }
        if now < refusedUntil { return (503, 1) }
        guard !refusals.isEmpty else { return nil }
        let refusal = refusals.removeFirst()
        let end = now + .seconds(refusal.retryAfter)
        // The refusal ends slightly early, so that a client with a different clock is not refused twice.
        refusedUntil = end - .milliseconds(200)
        checker.noAttemptBefore = (end, .retryAfter, "Retry-After was over")
        return (refusal.status, refusal.retryAfter)
    }

    private mutating func accept(_ number: Int) {
        acceptedCount += 1
        mayNeedLogin = false
        checker.noAttemptBefore = nil
        hiddenFrom = nil
        if acceptedCount == 1 { checker.begins(epoch: room.epoch, seq: room.head) }
        actions.append(.accept(number))
        link = Link(number: number, greetedAt: now, helloSeq: room.head, sentSeq: room.head)
        let hello = V1Hello(
            connection: ConnectionID(trusted: "c\(number)"), node: "conformance", user: user,
            serverTime: milliseconds, pingIntervalMilliseconds: scenario.pingInterval.milliseconds, limits: Limits(),
            ticket: tickets.issue(), threads: [room.thread(readSeq: room.readSeq)], hasMore: false)
        sendFrame(.hello(hello))
    }

    mutating func sendFrame(_ frame: V1Frame) {
        guard let payload = V1Encoder.encode(frame) else { return }
        send(String(buffer: payload))
    }

    mutating func ended(_ number: Int) {
        guard number == link?.number else { return }
        checker.ended(number)
        note("·", "end of the connection", on: number)
        link = nil
        lastEnd = now
    }

    mutating func cut() {
        guard let number = link?.number else { return }
        actions.append(.cut(number))
        ended(number)
    }

    mutating func close(_ code: UInt16) {
        guard let number = link?.number else { return }
        note(">", "close \(code)", on: number)
        actions.append(.close(number, code: code))
        ended(number)
        switch code {
        case 4000...4099: mustStop("after \(code)")
        case 4100...4199:
            tickets.refuseIssued()
            banTickets("after \(code)")
        default: break
        }
    }

    private mutating func mustStop(_ why: String) {
        checker.noAttemptBefore = (.seconds(1 << 40), .stop, "the user wants it, \(why)")
    }

    /// Bans the issued tickets. Tickets that are fetched later are valid.
    private mutating func banTickets(_ why: String) {
        checker.ticketBan = (tickets.refusedThrough, why)
        mayNeedLogin = true
    }

    /// Drains the node. The client must stay until the announced time.
    mutating func sayBye(_ delay: Int64) {
        guard let number = link?.number else { return }
        sendFrame(.bye(reconnectAfterMilliseconds: delay, ticket: tickets.issue()))
        let end = now + .milliseconds(delay)
        checker.noAttemptBefore = (end, .bye, "the time of bye")
        later.append((end, number, .close(4200)))
    }

    mutating func pinged(_ number: Int) {
        guard let link, link.number == number else { return }
        if link.isDeaf { wasDeafPinged = true } else { actions.append(.pong(number)) }
    }

    mutating func checkFirstCommand() {
        guard let link, !link.hasBegun, !link.isDeaf, now >= link.greetedAt + Self.firstCommand else { return }
        checker.report(.resume, "no command within a second of hello")
        goLive(after: link.helloSeq)
    }

    /// Starts the delivery of events above `seq`.
    mutating func goLive(after seq: Int64) {
        link?.hasBegun = true
        link?.sentSeq = seq
        deliver()
    }

    /// Sends the events that the client has not received.
    mutating func deliver() {
        while let link, link.hasBegun, !link.isDeaf, link.sentSeq < room.head, let event = room.json(link.sentSeq + 1) {
            self.link?.sentSeq += 1
            send(event)
            checker.delivered(link.sentSeq + 1)
        }
    }
}
