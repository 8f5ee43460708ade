import ParleyModel
import ParleyWire

/// The steps of the scenario.
extension ScenarioMachine {
    private var current: Step? { step < scenario.steps.count ? scenario.steps[step] : nil }

    /// The time at which the current step ends or times out.
    var stepDeadline: Duration? {
        guard let stepStart else { return nil }
        guard isStarted else { return stepStart + Self.connectTimeout }
        switch current {
        case .rest(let time), .quiet(let time, _, _), .wait(_, let time, _, _), .need(_, let time, _):
            return stepStart + time
        case .ask, .act, nil: return nil
        }
    }

    /// Performs steps until one must wait.
    mutating func advance() {
        if !isStarted {
            let start = stepStart ?? now
            guard link?.hasBegun == true else {
                stepStart = start
                if now >= start + Self.connectTimeout { finish(.absent) }
                return
            }
            isStarted = true
            stepStart = now
        }
        while result == nil, checker.violation == nil, let stepStart {
            guard let current else { return finish(.ok) }
            switch current {
            case .ask(let request): ask(request)
            case .act(let action): act(action)
            case .rest(let time): if now < stepStart + time { return }
            case .wait(let condition, let limit, let rule, let otherwise):
                if !holds(condition) {
                    if now >= stepStart + limit {
                        checker.report(rule, otherwise)
                        // A rule that is not checked does not delay the scenario.
                        if checker.violation == nil { finish(.skipped(otherwise)) }
                    }
                    return
                }
            case .need(let condition, let limit, let otherwise):
                if !holds(condition) {
                    if now >= stepStart + limit { finish(.skipped(otherwise)) }
                    return
                }
            case .quiet(let time, let rule, let otherwise):
                if checker.attempts(since: stepStart) > 0 { checker.report(rule, otherwise) }
                if now < stepStart + time { return }
            }
            step += 1
            self.stepStart = now
        }
    }

    func holds(_ condition: Condition) -> Bool {
        switch condition {
        case .connected(let count): acceptedCount >= count && link?.hasBegun == true
        case .sent(let count): checker.sentCount >= count
        case .confirmed(let count): checker.confirmedCount >= count
        case .caughtUp: checker.hole == nil && checker.newest >= room.head
        case .reloaded: !checker.reloadDue
        case .pinged: wasDeafPinged
        case .forbidden: wasForbidden
        case .readMarks(let count): readMarks >= count
        case .edits(let count): edits >= count
        case .typings(let count): typings >= count
        }
    }

    private mutating func ask(_ request: Request) {
        switch request {
        case .send(let text): actions.append(.ask(line: text, text: "Send the message “\(text)”."))
        case .edit(let text):
            let seq = checker.sends.values.compactMap(\.seq).max() ?? 0
            actions.append(.ask(line: "/edit \(seq) \(text)", text: "Edit that message: “\(text)”."))
        case .read: actions.append(.ask(line: "/read", text: "Read the room, so that it has nothing unread."))
        case .typing: actions.append(.ask(line: "/typing", text: "Type something, without sending it."))
        }
    }

    private mutating func act(_ action: ServerAction) {
        switch action {
        case .answer(let answers): self.answers = answers
        case .post(let count):
            post(count)
            deliver()
        case .postTwice:
            let text = "event \(room.head + 1)"
            let clientID = nextClientID()
            for _ in 0..<2 {
                _ = room.append(text, by: Room.other, clientID: clientID, milliseconds: milliseconds)
            }
            room.store()
            deliver()
        case .hide(let count):
            hiddenFrom = hiddenFrom ?? room.head + 1
            post(count)
            link?.sentSeq = room.head
        case .sayBehind:
            guard let from = hiddenFrom else { return }
            hiddenFrom = nil
            sendFrame(.behind([room.id: from...room.head]))
            checker.missing(upTo: room.head)
        case .repeatEvents(let count):
            for seq in max(1, room.head - Int64(count) + 1)..<room.head + 1 {
                if let event = room.json(seq) { send(event) }
            }
        case .postUnknown:
            room.appendUnknown(milliseconds: milliseconds)
            room.store()
            deliver()
        case .sendUnknown: sendUnknown()
        case .postLarge: postLarge()
        case .rollBack: rollBack()
        case .cut: cut()
        case .close(let code): close(code)
        case .bye(let delay): sayBye(delay)
        case .refuse(let refusals): self.refusals = refusals
        case .forbid: isForbidden = true
        case .refuseAll(let isRefusing): refusesAll = isRefusing
        case .refuseTickets: tickets.refuseIssued()
        case .answerWithPage: answersWithPage = true
        case .ignore(let what, let isIgnored):
            if isIgnored { ignored.insert(what) } else { ignored.remove(what) }
        case .goDeaf: link?.isDeaf = true
        }
    }

    private mutating func post(_ count: Int, text: String? = nil) {
        for _ in 0..<count {
            let text = text ?? "event \(room.head + 1)"
            _ = room.append(text, by: Room.other, clientID: nextClientID(), milliseconds: milliseconds)
        }
        room.store()
    }

    /// Returns a UUIDv7 for a message that does not come from the client.
    private mutating func nextClientID() -> String {
        postCount += 1
        let digits = String(postCount, radix: 16)
        return "0199f3a2-79b0-7cc3-98c4-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    }

    /// Sends frames that a later version may send.
    private mutating func sendUnknown() {
        send(#"{"type":"weather","temperature":-3.5e1,"of":["here",null,{"there":true}]}"#)
        send(#"{"type":"typing","thread_id":"\#(room.id)","user_id":"0","username":"kit","on":true,"mood":{"x":[]}}"#)
        send(#"{"type":"user","user":{"id":"0","username":"kit","display_name":"Kit ☃","pronouns":"it"}}"#)
        send(#"{"future":{"type":"hello"},"type":"poll"}"#)
        send(#"{"type":"ack","ref":987654321,"why":"nobody asked"}"#)
    }

    /// Sends texts of the maximum length in four-byte characters, more of them than a page can contain.
    private mutating func postLarge() {
        post(1, text: String(repeating: "🌳", count: Limits().textScalars))
        deliver()
        hiddenFrom = room.head + 1
        post(190, text: String(repeating: "0123456789abcdef", count: 80))
        link?.sentSeq = room.head
    }

    /// Rolls the log back to the database.
    private mutating func rollBack() {
        let stored = room.stored
        room.rollBack()
        checker.lost(above: stored)
        guard let link, link.hasBegun else { return }
        self.link?.sentSeq = room.head
        sendFrame(.resumed([room.id: room.rollback], ref: nil))
        checker.rolledBack(epoch: room.epoch, to: room.head)
    }
}
