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
                driver.step { $0.wake(at: $1, driver.connection, &$2) }
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
        let (send, commands, telemetry) = (append.send, services.messaging.commands, services.telemetry)
        let id = append.messageID ?? commands.tracer.messageID(commands.clock)
        let draft: EventDraft
        do {
            try commands.rules.check(send.text, hasParts: !send.parts.isEmpty)
            if !send.parts.isEmpty { try commands.rules.check(send.parts) }
            draft = try commands.rules.draft(
                of: Message(
                    id: id, sender: user, text: send.text, clientID: send.clientID,
                    recipient: append.membership.peer, parts: send.parts, replyTo: send.replyTo),
                as: append.membership, from: connection.id, wantsStored: append.wantsStored)
        } catch {
            detach(append)
            return loop.soon(for: self) { $0.appended(append.number, .failure(V1Failure(error))) }
        }
        let number = append.number
        let reply = loop.callback(to: self) { $0.appended(number, $1) }
        telemetry.stampSent(id, lastRead: connection.lastRead)
        let began = NIODeadline.now()
        services.messaging.log.append(draft) { result in
            if case .success = result {
                telemetry.metrics.accepted(after: (NIODeadline.now() - began).nanoseconds)
                telemetry.tracer.stamp(.appended, id)
            }
            if append.messageID != nil {
                _ = commands.settings.submit {
                    await commands.detach(send.parts, from: id, in: draft.thread, after: result)
                }
            }
            reply(result.mapError { V1Failure(MessagingError($0)) })
        }
    }

    private func attach(_ append: V1Append) {
        let (commands, user) = (services.messaging.commands, user.id)
        loop.request(
            for: self,
            { () -> Result<(id: MessageID, parts: [MessagePart]), V1Failure> in
                let id = commands.tracer.messageID(commands.clock)
                do throws(MessagingError) {
                    // Before the use is recorded, which a refused send would leave behind.
                    try commands.rules.check(append.send.text, hasParts: true)
                    try commands.rules.check(append.send.parts)
                    return .success(
                        (id, try await commands.attach(append.send.parts, to: id, by: user, as: append.membership)))
                } catch {
                    return .failure(V1Failure(error))
                }
            }
        ) { driver, reply in
            let result = reply ?? .failure(.unavailable)
            guard driver.isOpen else {
                // The socket has closed, so the send will not be appended.
                guard case .success(let filled) = result else { return }
                return driver.detach(filled.parts, from: filled.id, in: append.membership.thread.id)
            }
            driver.step { $0.attached(append.number, result, at: $1, driver.connection, &$2) }
        }
    }

    /// Forgets the attachments of a send that is not appended.
    private func detach(_ append: V1Append) {
        guard let id = append.messageID else { return }
        detach(append.send.parts, from: id, in: append.membership.thread.id)
    }

    private func detach(_ parts: [MessagePart], from id: MessageID, in thread: ThreadID) {
        let commands = services.messaging.commands
        _ = commands.settings.submit { await commands.detach(parts, from: id, in: thread) }
    }

    private func appended(_ number: UInt64, _ result: Result<Receipt, V1Failure>) {
        step { $0.appended(number, result, at: $1, connection, &$2) }
    }

    private func change(_ number: UInt64, _ change: MessageChange, _ membership: Membership) {
        let (commands, telemetry) = (services.messaging.commands, services.telemetry)
        let (user, origin) = (user.id, connection.id)
        loop.request(
            for: self,
            { () -> Result<V1Outcome, V1Failure> in
                do throws(MessagingError) {
                    let began = NIODeadline.now()
                    let receipt = try await commands.change(
                        change, by: user, as: membership, from: origin, isCharged: true)
                    if receipt != nil {
                        telemetry.metrics.accepted(after: (NIODeadline.now() - began).nanoseconds)
                    }
                    return .success(receipt.map { .entered($0) } ?? .thread(membership.thread.id))
                } catch {
                    return .failure(V1Failure(error))
                }
            }
        ) { driver, reply in driver.finished(number, reply ?? .failure(.unavailable)) }
    }

    private func showTyping(_ number: UInt64, _ membership: Membership, isOn: Bool) {
        guard let budgets = connection.budgets else { return }
        let result: Result<V1Outcome, V1Failure>
        do {
            let now = NIODeadline.now().microseconds
            try services.messaging.commands.showTyping(isOn, by: user, as: membership, budgets, at: now)
            result = .success(.done)
        } catch {
            result = .failure(V1Failure(error))
        }
        loop.soon(for: self) { $0.finished(number, result) }
    }

    /// Reads the end of the log rather than the newest delivered event: the client's newest sends count.
    private func findHead(of thread: ThreadID) {
        let log = services.messaging.log
        loop.request(for: self, { try await log.head(of: thread) }) { driver, head in
            let ends = head.map { head in head.map { [thread: $0.position] } ?? [:] }
            driver.step { $0.foundEnds(ends, at: $1, driver.connection, &$2) }
        }
    }

    private func findEnds(of threads: [ThreadID]) {
        guard isOpen else { return }
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        services.delivery.fanOut.ends(of: threads, on: loop.index) { ends in
            let driver = bound.value
            driver.step {
                $0.foundEnds(ends.positions, unavailable: ends.unavailable, at: $1, driver.connection, &$2)
            }
        }
    }

    private func readLog(_ thread: ThreadID, after: Int64, limit: Int) {
        let log = services.messaging.currentLog
        loop.request(for: self, { try await log.logged(in: thread, after: after, limit: limit) }) { driver, slice in
            driver.step { $0.readLog(thread, slice, at: $1, driver.connection, &$2) }
        }
    }

    private func readStore(_ thread: ThreadID, after: Int64, limit: Int) {
        let log = services.messaging.currentLog
        loop.request(for: self, { try await log.stored(in: thread, after: after, limit: limit) }) { driver, page in
            driver.step { $0.readStore(thread, page, at: $1, driver.connection, &$2) }
        }
    }

    private func findStored(_ receipts: [Receipt]) {
        let store = services.messaging.store
        loop.request(
            for: self,
            { () -> [Receipt] in
                var stored: [Receipt] = []
                // One query per thread, so that waiting for a store that lags does not slow it down further.
                for (thread, receipts) in Dictionary(grouping: receipts, by: \.thread) {
                    let positions = try await store.stored(receipts.map(\.position), in: thread)
                    stored += receipts.filter { positions.contains($0.position) }
                }
                return stored
            }
        ) { driver, stored in
            if let stored { driver.step { session, _, actions in session.foundStored(stored, &actions) } }
        }
    }

    // MARK: Threads and users

    private func markRead(_ number: UInt64, _ thread: ThreadID, _ seq: Int64?) {
        guard let budgets = connection.budgets else { return }
        services.messaging.reads.markRead(
            thread, through: seq, budgets,
            completion: loop.callback(to: self) { driver, result in
                driver.finished(number, result.map { .done }.mapError { V1Failure($0) })
            })
    }

    private func authenticate(_ number: UInt64, _ token: String) {
        let (authenticator, directory) = (services.accounts.authenticator, services.messaging.directory)
        let (user, address) = (user, connection.address)
        let credentials = PresentedCredentials(authorization: "Bearer \(token)", address: address)
        loop.request(
            for: self,
            { () -> Result<Identity, V1Failure> in
                do {
                    guard case .user(let identity) = try await authenticator.authenticate(credentials, fresh: false),
                        identity.user.id == user.id, let snapshot = try await directory.snapshot(of: user.id),
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
        step { $0.finished(number, result, at: $1, connection, &$2) }
    }
}
