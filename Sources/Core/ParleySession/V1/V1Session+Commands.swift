package import ParleyModel
package import ParleyWire

/// Execution of commands, in order.
extension V1Session {
    /// Begins the commands that can begin, in order, and stops at the first that cannot.
    mutating func advance(at moment: Moment, _ actions: inout [Action]) {
        while let next = waiting.first, mayBegin(next, at: moment, &actions) {
            switch next {
            case .failure(let violation):
                waiting.removeFirst()
                let number = replies.open(ReplyQueue.Command(ref: violation.ref))
                fail(number, V1Failure(violation), &actions)
            case .success:
                // `answered` continues.
                operation = .facts
                return
            }
        }
        // Frees the memory: most sockets are idle most of the time.
        if waiting.isEmpty { waiting = [] }
        adjustReading(&actions)
    }

    private mutating func mayBegin(
        _ next: Result<V1Request, V1CommandError>, at moment: Moment, _ actions: inout [Action]
    ) -> Bool {
        guard phase == .greeted || phase == .live, operation == nil, !isLeaving, replies.count < Self.inFlightLimit
        else { return false }
        guard !backlog.isFull(waiting: moment.waitingBytes) else {
            awaitDrain(&actions)
            return false
        }
        guard case .success(let request) = next else { return true }
        if appending > 0, request.command.followsSends { return false }
        guard request.command.isBarrier else { return true }
        guard replies.isEmpty else { return false }
        if case .history = request.command, backlog.isAboveLowMark(waiting: moment.waitingBytes) {
            awaitDrain(&actions)
            return false
        }
        return true
    }

    /// Reading continues as long as few commands wait, so that a fast client is merely slowed down.
    private mutating func adjustReading(_ actions: inout [Action]) {
        guard phase != .closed else { return }
        if !isPaused, waiting.count >= Self.waitingLimit {
            isPaused = true
            actions.append(.pauseReading)
        } else if isPaused, waiting.count <= Self.waitingLimit / 2 {
            isPaused = false
            actions.append(.resumeReading)
        }
    }

    /// The facts that the first waiting command needs in order to begin; `nil` if none may begin.
    package var query: Query? {
        guard case .facts? = operation, case .success(let request)? = waiting.first else { return nil }
        return Query(request.command)
    }

    /// The answer to `query`.
    package mutating func answered(_ facts: Facts, at moment: Moment, _ actions: inout [Action]) {
        guard case .facts? = operation, case .success(let request)? = waiting.first else { return }
        operation = nil
        begin(request, facts, at: moment, &actions)
        advance(at: moment, &actions)
    }

    /// Begins the first waiting command, or leaves it waiting for a token or a lookup.
    private mutating func begin(
        _ request: V1Request, _ facts: Facts, at moment: Moment, _ actions: inout [Action]
    ) {
        if let budget = request.command.budget {
            switch facts.permit {
            case .granted: break
            case .wait(let wait):
                if phase == .greeted {
                    timers.clear(.endOfHold)
                    goLive(&actions)
                }
                return refuse(request, .over(budget, wait), &actions)
            case .requested:
                operation = .permit
                return arm(.permit, at: moment.now + Permit.moment, moment.now, &actions)
            }
        }
        if phase == .greeted {
            timers.clear(.endOfHold)
            if case .resume(let threads) = request.command {
                waiting.removeFirst()
                // A user removed before is denied.
                for thread in threads.keys where facts.members[thread] == nil { hold?.forget(thread) }
                let resuming = Resuming(ref: request.ref, threads, chunk: Int(replayChunk), members: facts.members)
                return go(on: resuming, at: moment.now, &actions)
            }
            goLive(&actions)
        }
        if request.command.thread == nil {
            carryOut(request, facts, &actions)
        } else if let membership = facts.membership {
            proceed(request, membership, &actions)
        } else if let thread = request.command.thread {
            operation = .access
            actions.append(.findThreads([thread]))
        }
    }

    /// The result of `findThreads`; `nil` if the lookup failed.
    package mutating func foundThreads(
        _ access: [ThreadID: ThreadAccess]?, at moment: Moment, _ actions: inout [Action]
    ) {
        switch operation {
        case .access:
            guard case .success(let request)? = waiting.first, let thread = request.command.thread else { return }
            operation = nil
            switch access.map({ $0[thread] ?? .unknown }) {
            case .member(let membership): proceed(request, membership, &actions)
            case .nonMember: refuse(request, .nonMember, &actions)
            case .unknown: refuse(request, .unknownThread, &actions)
            case nil: refuse(request, .unavailable, &actions)
            }
        case .resume(var resuming):
            guard let access else { return failed(resuming, at: moment.now, &actions) }
            unavailable.merge(resuming.foundThreads(access)) { $1 }
            go(on: resuming, at: moment.now, &actions)
        default:
            return
        }
        advance(at: moment, &actions)
    }

    // MARK: Commands about a thread

    /// Begins the first waiting command, whose thread the user is a member of.
    private mutating func proceed(
        _ request: V1Request, _ membership: Membership, _ actions: inout [Action]
    ) {
        let thread = membership.thread.id
        switch request.command {
        case .send(let send):
            self.send(send, request, membership, &actions)
        case .edit(_, let message, let text):
            change(.edit(message, text: text), request, membership, &actions)
        case .delete(_, let message):
            change(.delete(message), request, membership, &actions)
        case .react(_, let message, let emoji, let isOn):
            change(.react(message, emoji: emoji, isOn: isOn), request, membership, &actions)
        case .read(_, let seq):
            actions.append(.markRead(number: open(request), thread, seq: seq))
        case .typing(_, let isOn):
            actions.append(.showTyping(number: open(request), membership, isOn: isOn))
        case .history where membership.start?.isKnown == false:
            refuse(request, .unavailable, &actions)
        case .history(let history):
            operation = .page(
                Paging(
                    number: open(request), ref: request.ref, request: history, firstSeq: membership.firstSeq))
            actions.append(.findHead(thread))
        case .resume, .join, .leave, .watch, .authenticate, .ping:
            break
        }
    }

    /// Later commands wait for it, so that they see the message as it is in their turn.
    private mutating func change(
        _ change: MessageChange, _ request: V1Request, _ membership: Membership, _ actions: inout [Action]
    ) {
        let number = open(request)
        operation = .outcome(number: number)
        actions.append(.change(number: number, change, membership))
    }

    private mutating func send(
        _ send: V1Send, _ request: V1Request, _ membership: Membership, _ actions: inout [Action]
    ) {
        // Without a ref there is no ack.
        let wantsStored = send.level == .stored && request.ref != nil
        if wantsStored {
            guard !storedWaits.isFull else { return refuse(request, .tooManyUnstored, &actions) }
            storedWaits.began()
        }
        let number = open(request, level: wantsStored ? .stored : .accepted, clientID: send.clientID)
        appending += 1
        let append = V1Append(number: number, membership: membership, send: send, wantsStored: wantsStored)
        guard send.parts.contains(where: { $0.attachment != nil }) else { return actions.append(.append(append)) }
        // Later commands wait, so that messages are appended in their order.
        operation = .attachments(append)
        actions.append(.attach(append))
    }

    /// The result of `attach`: the message's id and its parts, filled in.
    package mutating func attached(
        _ number: UInt64, _ result: Result<(id: MessageID, parts: [MessagePart]), V1Failure>, at moment: Moment,
        _ actions: inout [Action]
    ) {
        guard case .attachments(var append)? = operation, append.number == number else { return }
        operation = nil
        switch result {
        case .success(let filled):
            (append.messageID, append.send.parts) = (filled.id, filled.parts)
            actions.append(.append(append))
            advance(at: moment, &actions)
        case .failure(let failure):
            appended(number, .failure(failure), at: moment, &actions)
        }
    }

    // MARK: Other commands

    private mutating func carryOut(
        _ request: V1Request, _ facts: Facts, _ actions: inout [Action]
    ) {
        switch request.command {
        case .ping(let ping):
            let number = open(request)
            reply(number, .pong(ping, serverTime: facts.milliseconds, ref: request.ref), &actions)
        case .watch(let users):
            latePresence = [:]
            let number = open(request)
            operation = .outcome(number: number)
            actions.append(.watch(number: number, users))
        case .join(let title):
            let number = open(request)
            operation = .outcome(number: number)
            actions.append(.join(number: number, title: title))
        case .leave(let thread):
            let number = open(request)
            operation = .outcome(number: number)
            actions.append(.leave(number: number, thread))
        case .authenticate(let token):
            let number = open(request)
            operation = .outcome(number: number)
            actions.append(.authenticate(number: number, token: token))
        case .resume:
            refuse(request, .lateResume, &actions)
        case .send, .edit, .delete, .react, .read, .typing, .history:
            break
        }
    }

    // MARK: Numbers

    /// Removes the first waiting command from the queue and numbers it.
    private mutating func open(
        _ request: V1Request, level: V1Send.Level? = nil, clientID: String? = nil
    ) -> UInt64 {
        waiting.removeFirst()
        return replies.open(ReplyQueue.Command(ref: request.ref, level: level, clientID: clientID))
    }

    private mutating func refuse(_ request: V1Request, _ failure: V1Failure, _ actions: inout [Action]) {
        fail(open(request), failure, &actions)
    }
}
