/// Publish/subscribe for events of threads and users among nodes, as seen by one node.
///
/// `MessageLog.append` publishes events. A node receives the events of a thread in the order of their acceptance. A node that
/// loses its connection may miss events, and is notified.
package protocol ThreadBus: Sendable {
    /// Sets the receiver. Called once, before anything else. `receiver` is called on any thread, one call at a time.
    func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void)

    /// Subscribes to topics. Calls take effect in order, and subscribing twice has no further effect.
    /// - Parameter completion: Called once, when everything published afterwards will be received; with `away` if the hosts of
    ///   some topics are unreachable. These topics are subscribed when their host is back, and `resubscribed` follows.
    func subscribe(to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void)

    /// Unsubscribes from topics. Signals that are already on the way may still arrive.
    func unsubscribe(from topics: [BusTopic])

    /// Notifies every node that has sockets of `user`. Fire and forget, since the store has all lasting facts.
    func publish(_ event: ControlEvent, to user: UserID)

    /// Notifies the members of `thread`, on this node too. Fire and forget.
    func publish(_ event: EphemeralEvent, in thread: ThreadID)

    /// Whether events of the thread are received. If not, `resubscribed` follows when they are received again.
    func isReceiving(_ thread: ThreadID) -> Bool

    /// Whether this node believes that events of the thread are received, and that its log can be read and appended to. A host
    /// that has just stopped responding counts as reachable for a few more seconds.
    func isReachable(_ thread: ThreadID) -> Bool

    /// Whether all, some or none of the threads are reachable, in the sense of `isReachable`.
    var reach: BusReach { get }
}

extension ThreadBus {
    package func isReceiving(_ thread: ThreadID) -> Bool { true }
    package func isReachable(_ thread: ThreadID) -> Bool { true }
    package var reach: BusReach { .all }
}

/// The threads that a node can currently serve. Handshakes and readiness depend on the same value, so that a node that reports
/// ready accepts sockets.
package enum BusReach: Hashable, Sendable {
    case all
    /// Some hosts are unreachable, and their threads are unavailable.
    case some
    /// No host can be reached, so no socket is accepted.
    case none
}

/// A topic that can be subscribed to.
package enum BusTopic: Hashable, Sendable {
    /// The events and ephemeral events of a thread.
    case thread(ThreadID)
    /// The control events of a user.
    case user(UserID)
    /// The presence of a user; see `PresenceRegistry`.
    case presence(UserID)
}

/// A signal received by a node.
package enum BusSignal: Hashable, Sendable {
    case event(LogEvent)
    case ephemeral(EphemeralEvent, ThreadID)
    case control(ControlEvent, UserID)
    case foreign(ForeignEvent, ThreadID)
    case presence(UserPresence)
    /// The connection was lost and is back, with all topics subscribed again. Any signal may have been missed.
    case resubscribed
}

/// The reason that a subscription failed.
package enum BusError: Error, Hashable, Sendable {
    /// None of the topics is subscribed.
    case unavailable(String)
    /// The hosts of these topics are unreachable; the topics are subscribed when the hosts are back. All other topics are live.
    case away(Set<BusTopic>)
}

/// A change that all nodes with sockets of a user must learn at once. It is published on the user's channel.
package enum ControlEvent: Hashable, Sendable {
    /// The user is now a member and may read the log after `after`.
    case added(Membership, after: Int64)
    /// The user is no longer a member. `left` is the position of the `left` event, which the user's sockets receive before
    /// access ends; `nil` if the log has no such event, or does not have it yet.
    case removed(ThreadID, left: Position? = nil)
    /// An auth session has ended, so its sockets close with code 4001.
    case sessionRevoked(TokenHash)
    /// The user was erased, so all their sockets close with code 4001.
    case erased
    /// Other state of the user has changed, such as the password. Nodes reload it at once.
    case changed
}

extension UserID {
    /// The recipient of control events that concern the members of a user's threads on any node: a `changed` for this ID
    /// makes every node read the change feed at once. If a site gave a user this ID, nodes would only read it more often.
    package static let everyone = UserID(trusted: "parley.everyone")
}

/// An event that members of a thread see and that is not in its log. It has no seq, is never stored, and is lost if no node is subscribed.
package enum EphemeralEvent: Hashable, Sendable {
    /// A guest of the line protocol joined.
    case guestJoined(String)
    /// A guest of the line protocol left.
    case guestLeft(String)
    /// A user started or stopped typing.
    case typing(User, isOn: Bool)
    /// A user has read up to `seq`; `date` is in Unix seconds.
    case read(UserID, seq: Int64, date: Int64)
    /// The event at this position was stored. Sent only to clients that requested it.
    case stored(seq: Int64, epoch: Epoch)
}

/// An event that a program outside Parley, such as Django's `group_send`, published in a thread's group.
///
/// It is delivered unchanged to connected members. It has no seq, is not stored, and is lost if no node is subscribed.
package struct ForeignEvent: Hashable, Sendable {
    /// A JSON object in UTF-8, delivered to clients unchanged. Empty if clients receive it only when it is adopted.
    package let json: [UInt8]
    /// The adoption request, if events of this type are adopted. The event is then delivered only if the adoption fails.
    package let adoption: AdoptionRequest?

    package init(json: [UInt8], adoption: AdoptionRequest? = nil) {
        self.json = json
        self.adoption = adoption
    }
}
