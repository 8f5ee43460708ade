import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession
import ParleyWire

/// A connection whose commands go to a `ClassicSession`: a classic or direct WebSocket, or a guest of the line
/// listener. Bound to its event loop.
protocol ClassicConnection: LoopBound {
    var id: ConnectionID { get }
    var services: ConnectionServices { get }
    var loop: GatewayLoop { get }
    /// Whether nothing more is written.
    var isClosing: Bool { get }
    /// The time at which the newest bytes arrived.
    var lastRead: NIODeadline { get }
    /// The user who sends the commands.
    var caller: Caller { get }
    var user: User { get }
    /// The user's budgets; `nil` once the connection is gone.
    var budgets: UserBudgets? { get }

    /// The user's membership of a thread; `nil` if there is none here.
    func membership(of thread: ThreadID) -> Membership?
    /// The existing direct thread of this user with the user whom a text names, an id or a name; `nil` also if that must
    /// be looked up first.
    func directMembership(withUser text: String) -> Membership?
    /// Whether the user blocks another, or the other way round.
    func isBlocked(_ other: UserID) -> Bool
    /// Takes one token of a budget of the user.
    /// - Parameter now: microseconds by a monotonic clock.
    func take(_ kind: BudgetKind, at now: Int64) -> Permit

    func pauseReading()
    func resumeReading()
    func replyUnknownUser(_ name: String)
    /// A text that could be an id was found to be a name.
    func foundByName(_ name: String)
    func close(_ reason: CloseReason)
}

/// Owns a `ClassicSession` and performs its actions.
///
/// Bound to the event loop of its connection.
final class ClassicDriver<Connection: ClassicConnection>: LoopBound {
    let connection: Connection
    private var session = ClassicSession()
    /// Bounds the bytes that wait for a client that reads too slowly.
    private var budget: OutboundBudget
    /// The thread that a send waits for until its membership is live here.
    private var awaitedThread: ThreadID?
    /// Threads that were unavailable when the socket was opened.
    var unavailable: Set<ThreadID> = []

    /// The time limit for a membership to become live.
    private static var joinTimeout: TimeAmount { .seconds(5) }

    init(_ connection: Connection) {
        self.connection = connection
        budget = OutboundBudget(limit: connection.services.settings.limits.outboundBytes)
    }

    var services: ConnectionServices { connection.services }
    var isOpen: Bool { connection.isOpen }
    var isReading: Bool { session.isReading }

    // MARK: Events

    /// Handles a command, or a frame that is not one.
    func received(_ command: Result<ClientCommand, CommandError>) {
        step { session, now, actions in
            switch command {
            case .success(let command):
                if let reason = command.text.flatMap(rejection) { return session.refused(reason, at: now, &actions) }
                session.received(command, membership: membership(for: command), at: now, &actions)
            case .failure(let violation): session.received(violation, at: now, &actions)
            }
        }
    }

    /// The membership of the thread that a command marks as read.
    private func membership(for command: ClientCommand) -> Membership? {
        if case .read(let thread) = command { connection.membership(of: thread) } else { nil }
    }

    func closed() {
        session.closed()
    }

    func membershipsChanged() {
        guard let thread = awaitedThread, let membership = connection.membership(of: thread) else { return }
        awaitedThread = nil
        step { $0.resolvedThread(membership, at: $1, &$2) }
    }

    /// The reason that a text cannot be sent; `nil` if it can. Checked on arrival, so that the text does not wait with
    /// others.
    private func rejection(of text: String) -> DropReason? {
        do {
            try services.messaging.rules.check(text)
            return nil
        } catch {
            return DropReason(error)
        }
    }

    /// Reserves room for bytes to the client.
    /// - Parameter waiting: how many bytes the kernel has not taken yet.
    func hasRoom(for bytes: Int, waiting: () -> Int) -> Bool {
        budget.take(bytes, waiting: waiting)
    }

    // MARK: Actions

    /// Takes the session one step further and performs its actions.
    private func step(_ step: (inout ClassicSession, Int64, inout [ClassicSession.Action]) -> Void) {
        var actions: [ClassicSession.Action] = []
        let now = NIODeadline.now().microseconds
        services.telemetry.metrics.timingSession(at: now) {
            step(&session, now, &actions)
            while let query = session.query { session.answered(facts(for: query, at: now), at: now, &actions) }
        }
        for action in actions { perform(action) }
    }

    private func facts(for query: ClassicSession.Query, at now: Int64) -> ClassicSession.Facts {
        let permit = query.needsPermit ? connection.take(.sends, at: now) : .granted
        let membership =
            switch query.target {
            case .thread(let thread): connection.membership(of: thread)
            case .peer(let name): connection.directMembership(withUser: name)
            }
        return ClassicSession.Facts(permit: permit, membership: membership)
    }

    private func perform(_ action: ClassicSession.Action) {
        switch action {
        case .append(let message): append(message)
        case .findUser(let name): findUser(name)
        case .findThread(let thread): findThread(thread)
        case .markRead(let thread): markRead(thread)
        case .replyUnknownUser(let name): connection.replyUnknownUser(name)
        case .wake(let delay): wake(after: delay)
        case .pauseReading: connection.pauseReading()
        case .resumeReading: connection.resumeReading()
        case .drop(let reason): services.telemetry.metrics.dropped(reason)
        case .close(let reason): connection.close(reason)
        }
    }

    private func wake(after microseconds: Int64) {
        connection.loop.later(.microseconds(microseconds), for: self) { driver in
            driver.step { $0.wake(at: $1, &$2) }
        }
    }

    private func markRead(_ thread: ThreadID) {
        guard let budgets = connection.budgets else { return }
        services.messaging.markRead(thread, through: nil, budgets, notifiesMembers: false) { _ in }
    }

    // MARK: The log

    private func append(_ outgoing: OutgoingMessage) {
        guard isOpen else { return }
        var membership = outgoing.membership
        // A direct thread without messages is in no snapshot.
        if let peer = membership.peer, connection.isBlocked(peer.id) { membership = membership.blocked }
        var message = NewMessage(outgoing.text, id: outgoing.id)
        message.mayBeThere = outgoing.id != nil
        message.opensThread = connection.membership(of: membership.thread.id) == nil
        let send: PreparedSend
        do {
            send = try services.messaging.prepare(message, by: connection.caller, as: membership)
        } catch {
            let reason = DropReason(error)
            return connection.loop.soon(for: self) { driver in
                driver.step { $0.appendRefused(reason, at: $1, &$2) }
            }
        }
        var attempt = outgoing
        attempt.id = send.id
        services.append(send, lastRead: connection.lastRead, on: connection.loop, for: self) { [attempt] in
            $0.appended(attempt, $1)
        }
    }

    private func appended(_ outgoing: OutgoingMessage, _ result: Result<Receipt, MessagingError>) {
        guard isOpen else { return }
        step { session, now, actions in
            switch result {
            case .success:
                session.appendAccepted(at: now, &actions)
            case .failure(.unavailable):
                session.appendFailed(outgoing, at: now, &actions)
            case .failure(let error):
                session.appendRefused(DropReason(error), at: now, &actions)
            }
        }
    }

    // MARK: Lookups

    private func findUser(_ name: String) {
        let messaging = services.messaging
        let reference = messaging.reference(name)
        connection.loop.request(for: self, { try await messaging.user(reference) }) { driver, reply in
            if let user = reply.flatMap(\.self), reference.id != nil, reference.id != user.id {
                driver.connection.foundByName(user.name)
            }
            driver.step { session, now, actions in
                switch reply {
                case .some(let user): session.resolvedUser(user, by: driver.connection.user.id, at: now, &actions)
                case nil: session.lookUpFailed(at: now, &actions)
                }
            }
        }
    }

    /// Looks a thread up in the store: the user may have joined it just now, before the event has arrived here.
    private func findThread(_ thread: ThreadID) {
        let (messaging, user) = (services.messaging, connection.user.id)
        connection.loop.request(
            for: self,
            { () -> (Membership, Int64)? in
                guard case .member(let membership) = try await messaging.access(of: user, to: thread) else {
                    return nil
                }
                return (membership, try await messaging.end(of: thread)?.seq ?? 0)
            }
        ) { driver, reply in
            switch reply {
            case .some(.some((let membership, _))) where membership.start?.isKnown == false:
                driver.step { $0.resolvedThread(membership, at: $1, &$2) }
            case .some(.some((let membership, let head))): driver.awaitLive(membership, after: head)
            case .some(.none): driver.step { $0.resolvedThread(nil, at: $1, &$2) }
            case nil: driver.step { $0.lookUpFailed(at: $1, &$2) }
            }
        }
    }

    /// Makes a stored membership live on this loop; `membershipsChanged` reports when it is.
    private func awaitLive(_ membership: Membership, after head: Int64) {
        guard !connection.isClosing else { return }
        let thread = membership.thread.id
        awaitedThread = thread
        services.delivery.fanOut.beginJoin(connection.user.id, membership, after: head)
        connection.loop.later(Self.joinTimeout, for: self) { $0.stopAwaiting(thread) }
        // The membership may be live already; then nothing reports it again.
        membershipsChanged()
    }

    private func stopAwaiting(_ thread: ThreadID) {
        guard awaitedThread == thread else { return }
        awaitedThread = nil
        step { $0.lookUpFailed(at: $1, &$2) }
    }
}

extension DropReason {
    /// The reason that a command of a classic, direct or line client is dropped; these clients get no error.
    fileprivate init(_ error: MessagingError) {
        switch error {
        case .invalid: self = .badText
        case .tooLarge: self = .textTooLong
        case .unauthorized, .forbidden, .suspended: self = .readOnly
        case .notFound, .notAMember: self = .notAMember
        case .conflict, .rolledBack, .rateLimited, .slowMode, .unavailable, .failed: self = .refusedByLog
        }
    }
}
