import ParleyClientCore

/// Messages of the user, until they are known to be stored, and other commands.
extension SimulatedUser {
    // MARK: Sends

    /// Sends a message, or keeps it until there is a connection.
    func send(to thread: String, wantsStored: Bool, milliseconds: Int64) {
        sent += 1
        let random = generator.next()
        var ids = ClientRandom(seed: random)
        let send = Send(
            clientID: ids.uuid7(milliseconds: milliseconds), thread: thread, text: "\(name) \(sent)",
            wantsStored: wantsStored)
        outbox.append(send)
        if isConnected { transmit(outbox.count - 1) }
    }

    func transmit(_ index: Int) {
        let send = outbox[index]
        outbox[index].firstSent = send.firstSent ?? scheduler.now
        outbox[index].sentOn = connection
        command(
            .message(
                V1ClientCommand.Message(
                    thread: send.thread, text: send.text, clientID: send.clientID, wantsStored: send.wantsStored)),
            for: .send(send.clientID))
    }

    func acknowledged(_ ack: ServerFrame.Ack) {
        guard let ref = ack.ref, let purpose = requests[ref] else { return }
        switch purpose {
        case .send(let clientID):
            guard let index = outbox.firstIndex(where: { $0.clientID == clientID }) else { return }
            let send = outbox[index]
            if observations.blockedSends.contains(clientID) {
                observations.violation("\(name) may send to a user with a block between them: \(send.thread)")
            }
            observations.saw(ack, of: send, by: name, at: scheduler.now)
            outbox[index].isAccepted = true
            if ack.isStored {
                outbox.remove(at: index)
                // It may have been sent more than once.
                requests = requests.filter { if case .send(clientID) = $0.value { false } else { true } }
            } else if !send.wantsStored {
                requests[ref] = nil
            }
        case .read(let thread, let seq):
            threads[thread]?.readSeq = seq
            requests[ref] = nil
        case .resume, .history, .change: requests[ref] = nil
        case .knock(let room, let view):
            requests[ref] = nil
            // The user may have entered, or a node may not know yet that they have left; at the end, all must.
            if view.isFinal || (!leftRooms.contains(room) && !observations.isMember(id, room)) {
                observations.violation("\(name) may type in a room of others, \(room)")
            }
        case .probe(let room, let mayWrite):
            requests[ref] = nil
            if !mayWrite { observations.violation("\(name) may not write in \(room), but does") }
        case .suspended:
            requests[ref] = nil
            observations.violation("\(name) is suspended, and is answered")
        }
    }

    func refused(_ refusal: ServerFrame.Refusal) {
        guard let ref = refusal.ref, let purpose = requests.removeValue(forKey: ref) else { return }
        story.remark(name, "refused: \(refusal.code.rawValue) \(refusal.message)")
        switch purpose {
        case .send(let clientID):
            guard refusal.isRetryable else {
                let room = outbox.first { $0.clientID == clientID }?.thread
                let isOut = [.notFound, .notAMember].contains(refusal.code) && leftRooms.contains(room ?? "")
                if !isOut, refusal.code != .forbidden || !mutedRooms.contains(room ?? "") {
                    observations.violation("the send \(clientID) of \(name) is refused: \(refusal.code.rawValue)")
                }
                // A repeat of a send that was lost is refused to a muted user, who then waits for neither.
                requests = requests.filter { if case .send(clientID) = $0.value { false } else { true } }
                return outbox.removeAll { $0.clientID == clientID }
            }
            later(refusal) { [self] in
                guard let index = outbox.firstIndex(where: { $0.clientID == clientID }) else { return }
                if !outbox[index].isAccepted || outbox[index].wantsStored { transmit(index) }
            }
        case .history(let thread, _): later(refusal) { [self] in fetchMissing(of: thread) }
        case .resume: reconnect()
        case .knock(let room, let view): knocked(at: room, view, refusal)
        case .probe(let room, let mayWrite):
            if mayWrite, !refusal.isRetryable {
                observations.violation("\(name) may not write in \(room): \(refusal.code.rawValue)")
            }
        case .suspended:
            if !refusal.isRetryable { observations.violation("\(name) is suspended, and is connected") }
        case .read, .change: break
        }
    }

    /// Calls `body` after a pause, if the connection still stands.
    func later(_ refusal: ServerFrame.Refusal, _ body: @escaping () -> Void) {
        let number = connection
        let pause = ReconnectPolicy.pause(asked: refusal.retryAfter, using: &generator)
        scheduler.call(after: pause.nanoseconds) { [self] in
            if connection == number, isConnected { body() }
        }
    }

    /// After a numbering has started over, what is not known to be stored is sent again.
    func repeatUnstored(in thread: String) {
        for index in outbox.indices where outbox[index].thread == thread && outbox[index].isAccepted {
            outbox[index].isAccepted = false
            if isConnected { transmit(index) }
        }
    }

    // MARK: Other commands

    func read(_ thread: String, upTo seq: Int) {
        guard isConnected else { return }
        command(.read(thread: thread, seq: seq), for: .read(thread: thread, seq: seq))
    }

    func change(_ command: V1ClientCommand) {
        guard isConnected else { return }
        self.command(command, for: .change)
    }
}
