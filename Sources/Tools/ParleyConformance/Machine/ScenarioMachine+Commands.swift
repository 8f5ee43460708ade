import NIOCore
import ParleyModel
import ParleyWire

/// The commands of a client, and their answers.
extension ScenarioMachine {
    mutating func received(_ number: Int, _ text: ByteBuffer) {
        note("<", String(buffer: text), on: number)
        receivedFrames += 1
        receivedBytes += text.readableBytes
        if receivedFrames > Self.maximumFrames || receivedBytes > Self.maximumBytes {
            checker.report(.frames, "\(receivedFrames) frames of \(receivedBytes) bytes, more than a scenario may have")
            return finish(checker.violation.map { .wrong($0) } ?? .skipped("it sends too much"))
        }
        guard let link, link.number == number else { return }
        let request: V1Request
        do {
            request = try V1Decoder().decode(text)
        } catch {
            checker.report(.frames, "a frame that is no command: \(error.message)")
            return sendFrame(.error(V1Failure(error), ref: error.ref))
        }
        if link.isDeaf {
            if case .ping = request.command { wasDeafPinged = true }
            return
        }
        if case .resume(let positions) = request.command {
            return resume(positions, ref: request.ref)
        }
        if !link.hasBegun {
            checker.report(.resume, "the first command is not resume")
            goLive(after: link.helloSeq)
        }
        perform(request)
    }

    private mutating func perform(_ request: V1Request) {
        let ref = request.ref
        switch request.command {
        case .send(let send): receivedMessage(send, ref: ref)
        case .edit(let thread, let message, let text): edit(thread, message, text, ref: ref)
        case .delete(let thread, _), .react(let thread, _, _, _), .leave(let thread): ack(ref, thread: thread)
        case .read(let thread, let seq): read(thread, seq, ref: ref)
        case .typing(_, let isOn):
            if isOn { typings += 1 }
            checker.typed(isOn: isOn)
            ack(ref)
        case .resume: break
        case .history(let history): page(history, ref: ref)
        case .join: ack(ref, thread: room.id)
        case .watch, .authenticate: ack(ref)
        case .ping(let value): sendFrame(.pong(value, serverTime: milliseconds, ref: ref))
        }
    }

    private mutating func ack(_ ref: Int64?, thread: ThreadID? = nil) {
        if let ref { sendFrame(.ack(V1Ack(ref: ref, thread: thread))) }
    }

    private mutating func refuse(_ ref: Int64?, _ code: V1ErrorCode, _ message: String, retryAfter: Int64? = nil) {
        sendFrame(.error(V1Failure(code, message, retryAfterMilliseconds: retryAfter), ref: ref))
    }

    // MARK: Messages

    private mutating func receivedMessage(_ send: V1Send, ref: Int64?) {
        guard send.thread == room.id else { return refuse(ref, .notFound, "no such thread") }
        guard let number = link?.number else { return }
        switch checker.sent(send, hasRef: ref != nil, on: number) {
        case .conflict: refuse(ref, .conflict, "the client_id was used for something else")
        case .isRepeat(let id):
            if forgotten.remove(id) != nil { room.forget(id, by: user.id) }
            accept(id, ref: ref, isStored: true)
        case .new(let id):
            switch answers.isEmpty ? .normal : answers.removeFirst() {
            case .normal: accept(id, ref: ref, isStored: true)
            case .late(let delay): later.append((now + .milliseconds(delay), number, .answer(ref: ref, id: id)))
            case .dropped: break
            case .silent:
                _ = log(id)
                link?.sentSeq = room.head
                checker.missing(upTo: room.head)
                checker.hole = nil
            case .accepted: accept(id, ref: ref, isStored: false)
            case .forgotten:
                forgotten.insert(id)
                accept(id, ref: ref, isStored: false)
            case .refused(let code, let delay):
                let wait = delay ?? (code.isRetryable ? 100 : nil)
                checker.refused(id, notBefore: wait.map { now + .milliseconds($0) })
                refuse(ref, code, "refused by the scenario", retryAfter: delay)
            }
        }
    }

    /// Returns the receipt of a message, and logs the message if necessary.
    private mutating func log(_ id: String) -> Receipt? {
        guard let record = checker.sends[id] else { return nil }
        let receipt = room.accept(record.send, by: user, milliseconds: milliseconds)
        guard !receipt.isRepeat else { return receipt }
        room.readSeq = receipt.position.seq
        checker.logged(id, seq: receipt.position.seq)
        return receipt
    }

    /// Answers a message: logs it, and sends the ack, the event, and the ack for storage if requested.
    mutating func accept(_ id: String, ref: Int64?, isStored: Bool) {
        guard let number = link?.number, let receipt = log(id), let send = checker.sends[id]?.send else { return }
        func frame(_ level: V1Send.Level) -> V1Frame? {
            ref.map { .ack(V1Ack(ref: $0, receipt: receipt, level: level, clientID: send.clientID)) }
        }
        if let frame = frame(.accepted) { sendFrame(frame) }
        deliver()
        if isStored { room.store() }
        let wantsStored = send.level == .stored
        if isStored, wantsStored, let frame = frame(.stored) { sendFrame(frame) }
        checker.acknowledged(id, isConfirmed: ref != nil && (isStored || !wantsStored), on: number)
    }

    private mutating func edit(_ thread: ThreadID, _ message: MessageID, _ text: String, ref: Int64?) {
        edits += 1
        let target = room.messages.first { $0.value.id == message && $0.value.sender.id == user.id }
        guard thread == room.id, let target else { return refuse(ref, .notFound, "no such message") }
        guard !ignored.contains(.edits) else { return }
        let change = MessageEdit(messageID: message, messageSeq: target.key, text: text, by: user.id)
        let receipt = room.append(.edited(change), milliseconds: milliseconds)
        room.store()
        if let ref { sendFrame(.ack(V1Ack(ref: ref, receipt: receipt))) }
        deliver()
    }

    mutating func read(_ thread: ThreadID, _ seq: Int64?, ref: Int64?) {
        guard thread == room.id else { return refuse(ref, .notFound, "no such thread") }
        readMarks += 1
        guard !ignored.contains(.reads) else { return }
        room.readSeq = min(seq ?? room.head, room.head)
        ack(ref)
    }

    // MARK: Events

    private mutating func page(_ request: V1HistoryRequest, ref: Int64?) {
        guard request.thread == room.id else { return refuse(ref, .notFound, "no such thread") }
        checker.asked(after: request.after)
        let page = room.page(request, ref: ref)
        send(page.json)
        checker.covered(from: page.from, to: page.to, isFresh: request.after == nil && request.before == nil)
    }

    private mutating func resume(_ positions: [ThreadID: Position], ref: Int64?) {
        guard let link else { return }
        guard !link.hasBegun else {
            checker.report(.resume, "a resume that is not the first command")
            return refuse(ref, .badRequest, "resume must be the first command")
        }
        let position = positions[room.id].map { Position(epoch: $0.epoch, seq: min($0.seq, Int64.max - 1)) }
        if position == nil, room.epoch != checker.epoch {
            // Hello informs the client.
            checker.rolledBack(epoch: room.epoch, to: room.head)
        }
        checker.resumed(position, helloSeq: link.helloSeq, lastEnd: lastEnd)
        guard let position else {
            sendFrame(.resumed([:], ref: ref))
            return goLive(after: link.helloSeq)
        }
        var resumption = room.resumption(at: position)
        switch resumption.state {
        case .rolledBack:
            checker.rolledBack(epoch: room.epoch, to: room.head)
        case .replayed where answersWithPage:
            answersWithPage = false
            resumption.state = .page
            checker.missing(upTo: room.head)
        case .replayed:
            goLive(after: position.seq)
        default: break
        }
        sendFrame(.resumed([room.id: resumption], ref: ref))
        goLive(after: room.head)
    }
}
