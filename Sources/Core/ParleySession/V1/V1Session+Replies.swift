package import ParleyModel
package import ParleyWire

/// Results of actions, and the replies to the client.
extension V1Session {
    /// The result of `append`.
    package mutating func appended(
        _ number: UInt64, _ result: Result<Receipt, V1Failure>, at moment: Moment, _ actions: inout [Action]
    ) {
        guard let command = replies.command(number) else { return }
        if command.level != nil { appending -= 1 }
        switch result {
        case .success(let receipt):
            if command.level == .stored, let ref = command.ref {
                storedWaits.accepted(
                    StoredWaits.Wait(
                        number: number, ref: ref, clientID: command.clientID, receipt: receipt, since: moment.now))
                // For a repeat, the `stored` event may have passed long ago.
                if receipt.isRepeat { actions.append(.findStored([receipt])) }
                if !timers.isSet(.storedCheck) {
                    arm(.storedCheck, at: moment.now + StoredWaits.timeout, moment.now, &actions)
                }
            }
            let frame = command.ref.map { ref in
                V1Frame.ack(
                    V1Ack(
                        ref: ref, receipt: receipt, level: command.level.map { _ in .accepted },
                        clientID: command.clientID))
            }
            reply(number, frame, &actions)
        case .failure(let failure):
            if command.level == .stored { storedWaits.failed() }
            fail(number, failure, &actions)
        }
        sendStoredAcks(&actions)
        advance(at: moment, &actions)
        closeIfDone(&actions)
    }

    /// The result of `change`, `markRead`, `showTyping`, `watch`, `join`, `leave` and `authenticate`.
    package mutating func finished(
        _ number: UInt64, _ result: Result<V1Outcome, V1Failure>, at moment: Moment, _ actions: inout [Action]
    ) {
        guard replies.command(number) != nil else { return }
        if case .outcome(number)? = operation { operation = nil }
        switch result {
        case .success(let outcome): finish(number, outcome, &actions)
        case .failure(let failure): fail(number, failure, &actions)
        }
        advance(at: moment, &actions)
        closeIfDone(&actions)
    }

    // MARK: Stored

    /// Reports that the event at this position is stored; called for every send that requested it, also of other users.
    package mutating func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch, _ actions: inout [Action]) {
        guard phase != .closed, !storedWaits.isIdle else { return }
        storedWaits.stored(thread, seq: seq, epoch: epoch)
        sendStoredAcks(&actions)
    }

    /// The result of `findStored`: the receipts whose events are stored.
    package mutating func foundStored(_ found: [StoredReceipt], _ actions: inout [Action]) {
        guard phase != .closed else { return }
        for found in found { storedWaits.found(found) }
        sendStoredAcks(&actions)
    }

    mutating func requestStoredPositions(at now: Int64, _ actions: inout [Action]) {
        let overdue = storedWaits.overdue(at: now)
        if !overdue.isEmpty { actions.append(.findStored(overdue)) }
        if !storedWaits.isEmpty { arm(.storedCheck, at: now + StoredWaits.timeout, now, &actions) }
    }

    /// Sends second acks, each after the first one.
    private mutating func sendStoredAcks(_ actions: inout [Action]) {
        guard !storedWaits.isEmpty else { return }
        let replies = replies
        for wait in storedWaits.take(hasFirstAck: { replies.isReleased($0) }) { actions.append(.send(.ack(wait.ack))) }
    }

    // MARK: Reply queue

    mutating func finish(_ number: UInt64, _ outcome: V1Outcome, _ actions: inout [Action]) {
        let ref = replies.command(number)?.ref
        let ack =
            switch outcome {
            case .done: ref.map { V1Ack(ref: $0) }
            case .thread(let thread): ref.map { V1Ack(ref: $0, thread: thread) }
            case .entered(let receipt): ref.map { V1Ack(ref: $0, receipt: receipt) }
            }
        reply(number, ack.map { .ack($0) }, &actions)
    }

    mutating func fail(_ number: UInt64, _ failure: V1Failure, _ actions: inout [Action]) {
        actions.append(.refuse(failure.code))
        reply(number, .error(failure, ref: replies.command(number)?.ref), &actions)
    }

    /// Sets a reply, and sends what can be sent now.
    mutating func reply(_ number: UInt64, _ frame: V1Frame?, _ actions: inout [Action]) {
        for ready in replies.fill(number, frame) { actions.append(.send(ready)) }
        sendStoredAcks(&actions)
    }
}
