import NIOCore
import ParleyAccounts
import ParleyFanOut
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
        case .findMessage(let thread, let message): find(message, in: thread)
        case .findEnds(let threads): findEnds(of: threads)
        case .readLog(let thread, let after, let limit): readLog(thread, after: after, limit: limit)
        case .readStore(let thread, let after, let limit): readStore(thread, after: after, limit: limit)
        case .findStored(let receipts): findStored(receipts)
        case .findThreads(let threads): find(threads)
        case .markRead(let number, let thread, let seq): markRead(number, thread, seq)
        case .publishTyping(let thread, let isOn):
            gateway.bus.publish(.typing(user, isOn: isOn), in: thread)
        case .join(let number, let title): join(number, title: title)
        case .leave(let number, let membership): leave(number, membership)
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

    // MARK: Bytes out

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

    // MARK: The log

    private func append(_ append: V1Append) {
        guard let eventLoop else { return }
        let thread = append.membership.thread.id
        let body: LogEvent.Body
        var traced: MessageID?
        switch append.content {
        case .message(let text, let clientID, let parts, let replyTo):
            let id = gateway.tracer.messageID(gateway.clock)
            if id.isTraced { traced = id }
            body = .message(
                Message(
                    id: id, sender: user, text: text, clientID: clientID,
                    recipient: append.membership.peer, parts: parts, replyTo: replyTo))
        case .event(let event):
            body = event
        }
        let draft = EventDraft(thread: thread, body: body, origin: connection, wantsStored: append.wantsStored)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        if let traced { stampSent(traced) }
        let (metrics, tracer, began, message) = (gateway.metrics, gateway.tracer, NIODeadline.now(), traced)
        gateway.log.append(draft) { result in
            if case .success = result {
                metrics.accepted(after: (NIODeadline.now() - began).nanoseconds)
                if let message { tracer.stamp(.appended, message) }
            }
            let answer = result.mapError { V1Failure($0) }
            eventLoop.execute {
                let handler = bound.value
                handler.perform { $0.appended(append.number, answer, at: $1, handler, &$2) }
            }
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
        let log = gateway.log
        ask({ try await log.events(in: thread, after: after, limit: limit) }) { handler, slice in
            handler.perform { $0.readLog(thread, slice, at: $1, handler, &$2) }
        }
    }

    private func readStore(_ thread: ThreadID, after: Int64, limit: Int) {
        let store = gateway.store
        ask({ try await store.events(in: thread, after: after, limit: limit) }) { handler, page in
            handler.perform { $0.readStore(thread, page, at: $1, handler, &$2) }
        }
    }

    private func findStored(_ receipts: [Receipt]) {
        let store = gateway.store
        ask({ () -> [Receipt] in
            var stored: [Receipt] = []
            // One question for each thread: whoever waits for a store that lags must not keep it from catching up.
            for (thread, receipts) in Dictionary(grouping: receipts, by: \.thread) {
                let seqs = receipts.map(\.position.seq)
                guard let first = seqs.min(), let last = seqs.max() else { continue }
                let limit = Int(clamping: last - first + 1)
                let page = try await store.events(in: thread, after: first - 1, limit: limit)
                let positions = Set(page.events.map(\.position))
                stored += receipts.filter { positions.contains($0.position) }
            }
            return stored
        }) { handler, stored in
            if let stored { handler.perform { session, _, actions in session.foundStored(stored, &actions) } }
        }
    }

    // MARK: Threads and users

    private func markRead(_ number: UInt64, _ thread: ThreadID, _ seq: Int64?) {
        if let seq { return markRead(number, thread, through: seq) }
        guard let eventLoop else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        gateway.fanOut.ends(of: [thread], on: loop) { ends in
            let handler = bound.value
            if let ends {
                handler.markRead(number, thread, through: ends[thread]?.seq ?? 0)
            } else {
                handler.finished(number, .failure(.away))
            }
        }
    }

    /// The members are told when the mark cannot be lost any more.
    private func markRead(_ number: UInt64, _ thread: ThreadID, through seq: Int64) {
        guard let loop = eventLoop else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        let (bus, user, clock) = (gateway.bus, user.id, gateway.clock)
        gateway.readMarks.markRead(thread, by: user, through: seq) { isKept in
            if isKept { bus.publish(.read(user, seq: seq, date: clock.seconds), in: thread) }
            loop.execute { bound.value.finished(number, isKept ? .success(.done) : .failure(.away)) }
        }
    }

    private func authenticate(_ number: UInt64, _ token: String) {
        let (authenticator, user) = (gateway.authenticator, user)
        let credentials = PresentedCredentials(authorization: "Bearer \(token)", address: address)
        ask({ () -> Result<Identity, V1Failure> in
            do {
                guard case .user(let identity) = try await authenticator.authenticate(credentials),
                    identity.user.id == user.id
                else { return .failure(V1Failure(.unauthorized, "these are not the credentials of this user")) }
                return .success(identity)
            } catch {
                return .failure(V1Failure(error))
            }
        }) { handler, answer in
            switch answer {
            case .success(let identity)?:
                handler.identity = identity
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
    /// What a client may know of why nobody was recognised.
    init(_ failure: any Error) {
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
