import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession
import ParleyWire

/// Performs the actions of the session.
extension V1Driver {
    func perform(_ action: V1Session.Action) {
        switch action {
        case .send(let frame): send(frame)
        case .replay(let events): send(events.map { .event($0) })
        case .write(let frames): write(frames)
        case .awaitDrain(let bytes): connection.notifyDrained(below: bytes)
        case .close(let reason): connection.close(reason)
        case .append(let append): self.append(append)
        case .attach(let append): attach(append)
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
            loop.later(.microseconds(delay), for: self) { driver in
                driver.step { $0.wake(at: $1, &$2) }
            }
        case .pauseReading: connection.pauseReading()
        case .resumeReading:
            connection.setReading(true)
            loop.soon(for: connection) { $0.drainParser() }
        case .refuse(let code): services.telemetry.metrics.refused(code)
        }
    }

    // MARK: Bytes out

    private func send(_ frame: V1Frame) {
        send([frame])
    }

    /// Sends frames in one write.
    private func send(_ frames: [V1Frame]) {
        let isCompressed = connection.encoding.compressed
        var bytes: ByteBuffer?
        for frame in frames {
            if case .behind = frame { services.telemetry.metrics.sentBehind() }
            guard let payload = V1Encoder.encode(frame) else { continue }
            bytes.setOrWriteImmutableBuffer(WebSocketFrame.text(payload, compressed: isCompressed))
        }
        if let bytes { write(bytes) }
    }

    private func write(_ frames: [HeldFrame]) {
        var bytes: ByteBuffer?
        for held in frames {
            if let frame = held.frame.bytes(for: connection.encoding) { bytes.setOrWriteImmutableBuffer(frame) }
        }
        if let bytes { write(bytes) }
    }

    // MARK: The log

    private func append(_ append: V1Append) {
        guard isOpen else { return detach(append) }
        let (number, send) = (
            append.number,
            Result { () throws(MessagingError) in
                try services.messaging.prepare(append.message, by: connection.caller, as: append.membership)
            }
        )
        switch send {
        case .success(let send):
            connection.budgets?.sent(in: append.membership.thread.id, at: NIODeadline.now().microseconds)
            services.append(send, lastRead: connection.lastRead, on: loop, for: self) { $0.appended(number, $1) }
        case .failure(let error):
            detach(append)
            loop.soon(for: self) { $0.appended(number, .failure(error)) }
        }
    }

    private func attach(_ append: V1Append) {
        let (messaging, telemetry, caller) = (services.messaging, services.telemetry, connection.caller)
        loop.request(
            for: self,
            { () -> Result<PreparedSend, V1Failure> in
                do throws(MessagingError) {
                    return .success(try await messaging.attach(append.message, by: caller, as: append.membership))
                } catch {
                    return .failure(telemetry.failure(of: error))
                }
            }
        ) { driver, reply in
            let result = reply ?? .failure(.unavailable)
            guard driver.isOpen else {
                // The socket has closed, so the message will not be appended.
                if case .success(let send) = result { messaging.detach(send.id, in: append.membership.thread.id) }
                return
            }
            let parts = result.map { (id: $0.id, parts: $0.parts) }
            driver.step { $0.attached(append.number, parts, at: $1, &$2) }
        }
    }

    /// Forgets the attachments of a send that is not appended.
    private func detach(_ append: V1Append) {
        if let id = append.messageID { services.messaging.detach(id, in: append.membership.thread.id) }
    }

    private func appended(_ number: UInt64, _ result: Result<Receipt, MessagingError>) {
        step { $0.appended(number, result.mapError { V1Failure($0) }, at: $1, &$2) }
    }

    private func change(_ number: UInt64, _ change: MessageChange, _ membership: Membership) {
        let (messaging, telemetry, caller) = (services.messaging, services.telemetry, connection.caller)
        loop.request(
            for: self,
            { () -> Result<V1Outcome, V1Failure> in
                do throws(MessagingError) {
                    let began = NIODeadline.now()
                    let receipt = try await messaging.change(change, by: caller, as: membership)
                    if receipt != nil { telemetry.metrics.accepted(after: (NIODeadline.now() - began).nanoseconds) }
                    return .success(receipt.map { .entered($0) } ?? .thread(membership.thread.id))
                } catch {
                    return .failure(telemetry.failure(of: error))
                }
            }
        ) { driver, reply in driver.finished(number, reply ?? .failure(.unavailable)) }
    }

    private func showTyping(_ number: UInt64, _ membership: Membership, isOn: Bool) {
        guard let budgets = connection.budgets else { return }
        let result: Result<V1Outcome, V1Failure>
        do {
            let now = NIODeadline.now().microseconds
            try services.messaging.showTyping(
                isOn, by: connection.caller, as: membership, budgets, at: now)
            result = .success(.done)
        } catch {
            result = .failure(V1Failure(error))
        }
        loop.soon(for: self) { $0.finished(number, result) }
    }

    /// Reads the end of the log rather than the newest delivered event: the client's newest sends count.
    private func findHead(of thread: ThreadID) {
        let messaging = services.messaging
        loop.request(for: self, { try await messaging.end(of: thread) }) { driver, end in
            let ends = end.map { end in end.map { [thread: $0] } ?? [:] }
            driver.step { $0.foundEnds(ends, at: $1, &$2) }
        }
    }

    private func findEnds(of threads: [ThreadID]) {
        guard isOpen else { return }
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        services.delivery.fanOut.ends(of: threads, on: loop.index) { ends in
            let driver = bound.value
            driver.step {
                $0.foundEnds(ends.positions, unavailable: ends.unavailable, at: $1, &$2)
            }
        }
    }

    private func readLog(_ thread: ThreadID, after: Int64, limit: Int) {
        let messaging = services.messaging
        loop.request(for: self, { try await messaging.logged(in: thread, after: after, limit: limit) }) {
            driver, slice in
            driver.step { $0.readLog(thread, slice, at: $1, &$2) }
        }
    }

    private func readStore(_ thread: ThreadID, after: Int64, limit: Int) {
        let messaging = services.messaging
        loop.request(for: self, { try await messaging.stored(in: thread, after: after, limit: limit) }) {
            driver, page in
            driver.step { $0.readStore(thread, page, at: $1, &$2) }
        }
    }

    private func findStored(_ receipts: [Receipt]) {
        let messaging = services.messaging
        loop.request(for: self, { try await messaging.stored(receipts) }) { driver, stored in
            if let stored { driver.step { session, _, actions in session.foundStored(stored, &actions) } }
        }
    }

    // MARK: Threads and users

    private func markRead(_ number: UInt64, _ thread: ThreadID, _ seq: Int64?) {
        guard let budgets = connection.budgets else { return }
        services.messaging.markRead(
            thread, through: seq, budgets,
            completion: loop.callback(to: self) { driver, result in
                driver.finished(number, result.map { .done }.mapError { V1Failure($0) })
            })
    }

    private func authenticate(_ number: UInt64, _ token: String) {
        let (authenticator, messaging) = (services.accounts.authenticator, services.messaging)
        let (user, address) = (user, connection.address)
        let credentials = PresentedCredentials(authorization: "Bearer \(token)", address: address)
        loop.request(
            for: self,
            { () -> Result<Identity, V1Failure> in
                do {
                    guard case .user(let identity) = try await authenticator.authenticate(credentials, fresh: false),
                        identity.user.id == user.id, let snapshot = try await messaging.snapshot(of: user.id),
                        let confirmed = identity.confirmed(by: snapshot)
                    else { return .failure(V1Failure(.unauthorized, "the credentials belong to another user")) }
                    return .success(confirmed)
                } catch {
                    return .failure(V1Failure(error))
                }
            }
        ) { driver, reply in
            switch reply {
            case .success(let identity)?:
                driver.connection.identity = identity
                driver.connection.renewed()
                // The credentials may have been revoked during the lookup.
                driver.services.delivery.changes.recheck(driver.user.id)
                driver.finished(number, .success(.done))
            case .failure(let failure)?: driver.finished(number, .failure(failure))
            case nil: driver.finished(number, .failure(.unavailable))
            }
        }
    }

    func finished(_ number: UInt64, _ result: Result<V1Outcome, V1Failure>) {
        step { $0.finished(number, result, at: $1, &$2) }
    }
}

extension V1Append {
    fileprivate var message: NewMessage {
        var message = NewMessage(
            send.text, parts: send.parts, replyTo: send.replyTo, clientID: send.clientID, id: messageID)
        message.hasAttached = messageID != nil
        message.wantsStored = wantsStored
        return message
    }
}
