import NIOCore
package import ParleyClientCore
import ParleyWire

/// A bot's sockets, one after the other, as `ClientConnectionMachine` decides.
///
/// The machine is told of bytes at intervals and not with each read: that is all it needs, and reads are most of what a
/// bot does. It is not told of commands, since the checker reports unanswered ones.
extension Bot {
    /// Opens a socket. The group has a slot for it.
    func connect() {
        guard state == .disconnected, !botGroup.isOver else { return }
        connectStart = MonotonicClock.now()
        lastReceived = connectStart
        for case .connect(let ticket, _) in connection.start(at: .microseconds(connectStart)) { self.ticket = ticket }
        state = .connecting
        botGroup.open(self, attempt: attempts)
    }

    func connectFailed(_ error: any Error) {
        guard state == .connecting else { return }
        socket = nil
        state = .disconnected
        attempts += 1
        fail("connect")
        handshakeFailed(status: nil, retryAfter: nil)
    }

    private func handshakeFailed(status: Int?, retryAfter: Int?) {
        perform(
            connection.failed(
                status: status, retryAfter: retryAfter.map { Duration(retryAfter: $0) }, at: now,
                using: &botGroup.random))
    }

    private var now: Duration { .microseconds(MonotonicClock.now()) }

    func upgraded() {
        guard state == .connecting else { return }
        state = .opening
        connection.opened(at: now)
        guard isClassic else { return }
        connection.greeted(ticket: nil, pingInterval: .seconds(25), at: now)
        for place in threads.indices {
            botGroup.checker.openedClassic(firstMembership + place, isFromStart: !hasBeenLive && !botGroup.hasBegun)
        }
        becameLive()
    }

    /// Everything arrives live from now on.
    func becameLive() {
        let now = MonotonicClock.now()
        state = .live
        botGroup.figures.connects += 1
        if let disconnectedAt {
            botGroup.figures.recovery.record(now - disconnectedAt)
        } else {
            botGroup.figures.connect.record(now - connectStart)
        }
        disconnectedAt = nil
        hasBeenLive = true
        botGroup.becameLive(self)
        for index in unanswered.entries.indices { write(index) }
        fetchNext()
    }

    func socketEnded(_ ended: BotSocket) {
        guard ended === socket else { return }
        left()
        guard state != .stopped, !botGroup.isOver else { return }
        if isCut {
            isCut = false
        } else if let status = ended.status {
            fail("http_\(status)")
        } else {
            fail("close_\(ended.closeCode ?? 1006)")
        }
        if ended.status != nil {
            handshakeFailed(status: ended.status, retryAfter: ended.retryAfter)
        } else {
            perform(connection.closed(code: ended.closeCode.map { Int($0) }, at: now, using: &botGroup.random))
        }
    }

    /// The socket is gone, or nothing that it still delivers counts.
    private func left() {
        let was = state
        socket = nil
        fetchRef = nil
        guard was != .stopped else { return }
        state = .disconnected
        attempts += 1
        if was == .live { botGroup.endedLife(self) }
        if disconnectedAt == nil, hasBeenLive { disconnectedAt = MonotonicClock.now() }
        guard !botGroup.isOver else { return }
        for place in threads.indices { botGroup.checker.closed(firstMembership + place) }
        if isClassic { forgetSent() }
    }

    /// A classic client never learns the result of these sends.
    private func forgetSent() {
        unanswered.removeAll { entry in
            if entry.wasWritten { botGroup.checker.missedEcho(of: MessageTag(bot: number, number: entry.number)) }
            return entry.wasWritten
        }
    }

    /// The node drains. If the server does not close the socket in time, the bot does.
    func drains(after delay: Duration, ticket: String?) {
        connection.bye(after: delay, ticket: ticket, at: now)
        if let deadline = connection.deadline { botGroup.after(deadline) { [self] in check(MonotonicClock.now()) } }
    }

    /// Looks for silence and for attempts that take too long; called every few seconds. A slow reader may hear nothing
    /// for longer.
    func check(_ time: Int64) {
        guard state != .stopped, pace == nil || state == .connecting else { return }
        if case .waiting = connection.phase { return }
        if lastReceived > heardAt {
            heardAt = lastReceived
            connection.heard(at: .microseconds(heardAt))
        }
        perform(connection.tick(at: .microseconds(time), using: &botGroup.random))
    }

    private func perform(_ steps: [ClientConnectionMachine.Step]) {
        for step in steps {
            switch step {
            case .connect(let ticket, _):
                self.ticket = ticket
                botGroup.admit(self)
            case .disconnect:
                let abandoned = socket
                fail("silence")
                left()
                abandoned?.close()
            case .ping:
                // The classic dialect has none; its bots wait as long.
                if !isClassic, state == .live, let socket { write(.ping(MonotonicClock.now()), to: socket) }
            }
        }
        switch connection.phase {
        case .waiting(let until): botGroup.after(until) { [self] in botGroup.admit(self) }
        case .loggedOut: state = .stopped
        case .stopped, .connecting, .greeting, .connected: break
        }
    }

    /// Cuts the socket like a network failure; the bot then reconnects.
    func cut() {
        guard state == .live || state == .opening else { return }
        botGroup.figures.cuts += 1
        reconnect()
    }

    /// Abandons the socket and opens another.
    func reconnect() {
        isCut = true
        socket?.close()
    }

    /// Stops permanently.
    func end() {
        state = .stopped
        guard let socket, socket.isConnected else { return }
        socket.close(with: WebSocketClientFrame.close(code: 1000, mask: mask()))
    }

    /// Lets a slow reader read at full speed from now on, across reconnects too.
    func readAtFullSpeed() {
        pace = nil
        // Its silence so far does not mean that the connection is dead.
        lastReceived = MonotonicClock.now()
        socket?.readAtFullSpeed()
    }
}

extension ReconnectPolicy {
    /// The policy of bots: that of all clients, with shorter delays, since a run measures how soon the servers are back
    /// and not how long their clients wait.
    package static let loadGenerator: ReconnectPolicy = {
        var policy = ReconnectPolicy()
        policy.cap = .seconds(5)
        return policy
    }()
}
