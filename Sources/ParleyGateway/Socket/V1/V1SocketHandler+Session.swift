import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession
import ParleyWire

/// What the session decides is done here.
extension V1SocketHandler: V1SessionClient {
    var user: User { identity.user }
    var milliseconds: Int64 { gateway.clock.milliseconds }

    func membership(of thread: ThreadID) -> Membership? {
        local?.memberships[thread]
    }

    func directMembership(withUserNamed name: String) -> Membership? {
        local?.directMembership(withUserNamed: name)
    }

    /// Takes the session one step further and performs what it answers.
    func perform(_ step: (inout V1Session, Int64, inout [V1Session.Action]) -> Void) {
        var actions: [V1Session.Action] = []
        let now = now
        gateway.metrics.timingSession(at: now) { step(&session, now, &actions) }
        guard !actions.isEmpty else { return }
        for action in actions { perform(action) }
        flush()
    }

    func perform(_ action: V1Session.Action) {
        switch action {
        case .send(let frame): send(frame)
        case .replay(let events): send(events.map { .event($0) })
        case .write(let frames): write(frames)
        case .awaitDrain(let bytes): awaitDrain(below: bytes)
        case .close(let reason): close(reason)
        case .append(let append): self.append(append)
        case .change(let number, let change, let membership): self.change(number, change, membership)
        case .findHead(let thread): findHead(of: thread)
        case .findEnds(let threads): findEnds(of: threads)
        case .readLog(let thread, let after, let limit): readLog(thread, after: after, limit: limit)
        case .readStore(let thread, let after, let limit): readStore(thread, after: after, limit: limit)
        case .findStored(let receipts): findStored(receipts)
        case .findThreads(let threads): find(threads)
        case .markRead(let number, let thread, let seq): markRead(number, thread, seq)
        case .showTyping(let number, let membership, let isOn): showTyping(number, membership, isOn: isOn)
        case .join(let number, let title): join(number, title: title)
        case .leave(let number, let thread): leave(number, thread)
        case .watch(let number, let users): watch(number, users)
        case .authenticate(let number, let token): authenticate(number, token)
        case .wake(let delay):
            later(.microseconds(delay)) { handler in
                handler.perform { $0.wake(at: $1, handler, &$2) }
            }
        case .pauseReading: if !isClosing { setReading(false) }
        case .resumeReading:
            setReading(true)
            soon { $0.drainParser() }
        case .refuse(let code): gateway.metrics.refused(code)
        }
    }

    // MARK: Output

    private func send(_ frame: V1Frame) {
        send([frame])
    }

    /// Together, as one write.
    private func send(_ frames: [V1Frame]) {
        var bytes: ByteBuffer?
        for frame in frames {
            if case .behind = frame { gateway.metrics.toldBehind() }
            guard let payload = V1Encoder.encode(frame) else { continue }
            bytes.setOrWriteImmutableBuffer(WebSocketFrame.text(payload, compressed: encoding.compressed))
        }
        if let bytes { put(bytes) }
    }

    private func write(_ frames: [HeldFrame]) {
        var bytes: ByteBuffer?
        for held in frames {
            if let frame = held.frame.bytes(for: encoding) { bytes.setOrWriteImmutableBuffer(frame) }
        }
        if let bytes { put(bytes) }
    }

    private func put(_ bytes: ByteBuffer) {
        session.wrote(bytes.readableBytes)
        write(bytes)
    }

    // MARK: Log

    private func append(_ append: V1Append) {
        guard let eventLoop else { return }
        let (send, commands) = (append.send, gateway.commands)
        let id = commands.tracer.messageID(commands.clock)
        let draft: EventDraft
        do {
            try commands.rules.check(send.text, hasParts: !send.parts.isEmpty)
            if !send.parts.isEmpty { try commands.rules.check(send.parts) }
            draft = try commands.rules.draft(
                of: Message(
                    id: id, sender: user, text: send.text, clientID: send.clientID,
                    recipient: append.membership.peer, parts: send.parts, replyTo: send.replyTo),
                as: append.membership, from: connection, wantsStored: append.wantsStored)
        } catch {
            return soon { $0.appended(append.number, .failure(V1Failure(error))) }
        }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        stampSent(id)
        let (metrics, tracer, began) = (gateway.metrics, gateway.tracer, NIODeadline.now())
        let number = append.number
        gateway.log.append(draft) { result in
            if case .success = result {
                metrics.accepted(after: (NIODeadline.now() - began).nanoseconds)
                tracer.stamp(.appended, id)
            }
            let reply = result.mapError { V1Failure(MessagingError($0)) }
            eventLoop.execute { bound.value.appended(number, reply) }
        }
    }

    private func appended(_ number: UInt64, _ result: Result<Receipt, V1Failure>) {
        perform { $0.appended(number, result, at: $1, self, &$2) }
    }

    private func change(_ number: UInt64, _ change: MessageChange, _ membership: Membership) {
        let (commands, metrics, user, connection) = (gateway.commands, gateway.metrics, user.id, connection)
        ask({ () -> Result<V1Outcome, V1Failure> in
            do throws(MessagingError) {
                let began = NIODeadline.now()
                let receipt = try await commands.change(
                    change, by: user, as: membership, from: connection, isCharged: true)
                if receipt != nil { metrics.accepted(after: (NIODeadline.now() - began).nanoseconds) }
                return .success(receipt.map { .entered($0) } ?? .thread(membership.thread.id))
            } catch {
                return .failure(V1Failure(error))
            }
        }) { handler, reply in handler.finished(number, reply ?? .failure(.away)) }
    }

    private func showTyping(_ number: UInt64, _ membership: Membership, isOn: Bool) {
        guard let budgets else { return }
        let result: Result<V1Outcome, V1Failure>
        do {
            try gateway.commands.showTyping(isOn, by: user, as: membership, budgets, at: now)
            result = .success(.done)
        } catch {
            result = .failure(V1Failure(error))
        }
        soon { $0.finished(number, result) }
    }

    /// The end of the log and not what has been delivered here: what the client has sent just now counts.
    private func findHead(of thread: ThreadID) {
        let log = gateway.log
        ask({ try await log.head(of: thread) }) { handler, head in
            let ends = head.map { head in head.map { [thread: $0.position] } ?? [:] }
            handler.perform { $0.foundEnds(ends, at: $1, handler, &$2) }
        }
    }

    private func findEnds(of threads: [ThreadID]) {
        guard let eventLoop else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        gateway.fanOut.ends(of: threads, on: loop) { ends in
            let handler = bound.value
            handler.perform { $0.foundEnds(ends, at: $1, handler, &$2) }
        }
    }

    private func readLog(_ thread: ThreadID, after: Int64, limit: Int) {
        let log = CurrentLog(log: gateway.log, store: gateway.store)
        ask({ try await log.logged(in: thread, after: after, limit: limit) }) { handler, slice in
            handler.perform { $0.readLog(thread, slice, at: $1, handler, &$2) }
        }
    }

    private func readStore(_ thread: ThreadID, after: Int64, limit: Int) {
        let log = CurrentLog(log: gateway.log, store: gateway.store)
        ask({ try await log.stored(in: thread, after: after, limit: limit) }) { handler, page in
            handler.perform { $0.readStore(thread, page, at: $1, handler, &$2) }
        }
    }

    private func findStored(_ receipts: [Receipt]) {
        let store = gateway.store
        ask({ () -> [Receipt] in
            var stored: [Receipt] = []
            // One question for each thread: whoever waits for a store that lags must not keep it from catching up.
            for (thread, receipts) in Dictionary(grouping: receipts, by: \.thread) {
                let positions = try await store.stored(receipts.map(\.position), in: thread)
                stored += receipts.filter { positions.contains($0.position) }
            }
            return stored
        }) { handler, stored in
            if let stored { handler.perform { session, _, actions in session.foundStored(stored, &actions) } }
        }
    }

    // MARK: Threads and users

    private func markRead(_ number: UInt64, _ thread: ThreadID, _ seq: Int64?) {
        guard let loop = eventLoop, let budgets else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        gateway.reads.markRead(thread, through: seq, budgets) { result in
            let reply = result.map { V1Outcome.done }.mapError { V1Failure($0) }
            loop.execute { bound.value.finished(number, reply) }
        }
    }

    private func authenticate(_ number: UInt64, _ token: String) {
        let (authenticator, directory, user) = (gateway.authenticator, gateway.directory, user)
        let credentials = PresentedCredentials(authorization: "Bearer \(token)", address: address)
        ask({ () -> Result<Identity, V1Failure> in
            do {
                guard case .user(let identity) = try await authenticator.authenticate(credentials, fresh: false),
                    identity.user.id == user.id, let snapshot = try await directory.snapshot(of: user.id),
                    let confirmed = identity.confirmed(by: snapshot)
                else { return .failure(V1Failure(.unauthorized, "these are not the credentials of this user")) }
                return .success(confirmed)
            } catch {
                return .failure(V1Failure(error))
            }
        }) { handler, reply in
            switch reply {
            case .success(let identity)?:
                handler.identity = identity
                handler.renewed()
                // What became void meanwhile was not looked for here.
                handler.gateway.changes.look(at: user.id)
                handler.finished(number, .success(.done))
            case .failure(let failure)?: handler.finished(number, .failure(failure))
            case nil: handler.finished(number, .failure(.away))
            }
        }
    }

    func finished(_ number: UInt64, _ result: Result<V1Outcome, V1Failure>) {
        perform { $0.finished(number, result, at: $1, self, &$2) }
    }
}

extension V1Failure {
    /// What a client may know of why nobody was recognised, or of any other error whose kind has been lost on the way.
    init(_ failure: any Error) {
        if let error = failure as? MessagingError {
            self.init(error)
            return
        }
        guard let failure = failure as? AuthFailure else {
            self = .away
            return
        }
        switch failure {
        case .unauthorized(let reason), .forbidden(let reason): self.init(.unauthorized, reason)
        case .rateLimited(let seconds):
            self.init(.rateLimited, "too many logins", retryAfterMilliseconds: Int64(seconds) * 1000)
        case .unavailable(let reason): self.init(.unavailable, reason, retryAfterMilliseconds: 500)
        }
    }
}
