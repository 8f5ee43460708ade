import ParleyModel
import ParleySession
import ParleyWire

/// A session and its client for tests: each call returns the resulting actions.
struct SessionRun {
    var session: ClassicSession
    let client = TestClient()
    var now: Int64 = 0

    init() {
        session = ClassicSession()
    }

    mutating func receive(_ command: ClientCommand) -> [ClassicSession.Action] {
        var membership: Membership?
        if case .read(let thread) = command { membership = client.memberships[thread] }
        return step { $0.received(command, membership: membership, at: $1, &$2) }
    }

    mutating func send(_ text: String, to thread: ThreadID = TestClient.room) -> [ClassicSession.Action] {
        receive(.send(thread: thread, text: text))
    }

    mutating func receive(_ violation: CommandError) -> [ClassicSession.Action] {
        step { session, now, actions in session.received(violation, at: now, &actions) }
    }

    mutating func resolveUser(_ user: User?) -> [ClassicSession.Action] {
        step { $0.resolvedUser(user, by: TestClient.alice.id, at: $1, &$2) }
    }

    /// Reports the result of `findThread`; the membership is then known to the client.
    mutating func resolveThread(_ membership: Membership?) -> [ClassicSession.Action] {
        if let membership { client.memberships[membership.thread.id] = membership }
        return step { $0.resolvedThread(membership, at: $1, &$2) }
    }

    mutating func failLookUp() -> [ClassicSession.Action] {
        step { $0.lookUpFailed(at: $1, &$2) }
    }

    mutating func accept() -> [ClassicSession.Action] {
        step { $0.appendAccepted(at: $1, &$2) }
    }

    mutating func fail(_ message: OutgoingMessage) -> [ClassicSession.Action] {
        step { $0.appendFailed(message, at: $1, &$2) }
    }

    mutating func refuse(_ reason: DropReason) -> [ClassicSession.Action] {
        step { $0.appendRefused(reason, at: $1, &$2) }
    }

    /// Passes in a command that is rejected.
    mutating func receive(refused reason: DropReason) -> [ClassicSession.Action] {
        step { session, now, actions in session.refused(reason, at: now, &actions) }
    }

    mutating func wake(after microseconds: Int64 = 0) -> [ClassicSession.Action] {
        now += microseconds
        return step { $0.wake(at: $1, &$2) }
    }

    private mutating func step(
        _ body: (inout ClassicSession, Int64, inout [ClassicSession.Action]) -> Void
    ) -> [ClassicSession.Action] {
        var actions: [ClassicSession.Action] = []
        body(&session, now, &actions)
        while let query = session.query { session.answered(client.facts(for: query), at: now, &actions) }
        return actions
    }
}

extension [ClassicSession.Action] {
    /// The messages to be appended.
    var appends: [OutgoingMessage] {
        compactMap { if case .append(let message) = $0 { message } else { nil } }
    }

    var texts: [String] { appends.map(\.text) }

    var drops: [DropReason] {
        compactMap { if case .drop(let reason) = $0 { reason } else { nil } }
    }

    var closes: [CloseReason] {
        compactMap { if case .close(let reason) = $0 { reason } else { nil } }
    }

    var wakes: [Int64] {
        compactMap { if case .wake(let after) = $0 { after } else { nil } }
    }
}
