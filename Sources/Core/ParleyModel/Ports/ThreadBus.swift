/// Publish/subscribe for events of threads and users across nodes, as seen by one node.
///
/// Events are published by `MessageLog.append`. Within a thread a node receives events in the order of their
/// acceptance; a node that loses its connection may miss some, and is notified.
package protocol ThreadBus: Sendable {
    /// Sets the receiver; called once, before anything else. `receiver` is called on any thread, one call at a time.
    func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void)

    /// Subscribes to topics. Calls take effect in order; subscribing twice is one subscription.
    /// - Parameter completion: called once, when everything published from now on will be received; with `away` if the
    ///   hosts of some topics cannot be reached: these are subscribed as soon as their host is back, and `resubscribed`
    ///   follows.
    func subscribe(to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void)

    /// Unsubscribes from topics; signals already on the way may still arrive.
    func unsubscribe(from topics: [BusTopic])

    /// Notifies every node with sockets of `user`. Fire and forget: lasting facts are in the store as well.
    func publish(_ event: ControlEvent, to user: UserID)

    /// Notifies the members of `thread`, on this node too. Fire and forget.
    func publish(_ event: EphemeralEvent, in thread: ThreadID)

    /// Whether events of the thread are received. If not, `resubscribed` follows when they are again.
    func isReceiving(_ thread: ThreadID) -> Bool

    /// Whether events of the thread are received, and its log can be read and appended to, as far as this node knows: a
    /// host that has just stopped to answer counts as reachable for some seconds more.
    func isReachable(_ thread: ThreadID) -> Bool

    /// Whether all, some or none of the threads are reachable, in the sense of `isReachable`.
    var reach: BusReach { get }
}

extension ThreadBus {
    package func isReceiving(_ thread: ThreadID) -> Bool { true }
    package func isReachable(_ thread: ThreadID) -> Bool { true }
    package var reach: BusReach { .all }
}

/// Which threads a node can serve at the moment. Handshakes and readiness depend on the same value, so that a node that
/// says it is ready accepts sockets.
package enum BusReach: Hashable, Sendable {
    case all
    /// Some hosts are away; their threads are unavailable.
    case some
    /// No host can be reached: no socket is accepted.
    case none
}

/// A topic that can be subscribed to.
package enum BusTopic: Hashable, Sendable {
    /// The events and ephemeral events of a thread.
    case thread(ThreadID)
    /// The control events of a user.
    case user(UserID)
    /// Whether a user is online; see `PresenceRegistry`.
    case presence(UserID)
}

/// A signal received by a node.
package enum BusSignal: Hashable, Sendable {
    case event(LogEvent)
    case ephemeral(EphemeralEvent, ThreadID)
    case control(ControlEvent, UserID)
    case foreign(ForeignEvent, ThreadID)
    case presence(UserPresence)
    /// The connection was lost and is back, with all topics subscribed again: anything may have been missed.
    case resubscribed
}

/// Why a subscription failed.
package enum BusError: Error, Hashable, Sendable {
    /// None of the topics is subscribed.
    case unavailable(String)
    /// The hosts of these topics are away; the topics are subscribed when they are back. All others are live.
    case away(Set<BusTopic>)
}

/// A change that all nodes with sockets of a user must learn at once. It is published on the user's own channel.
package enum ControlEvent: Hashable, Sendable {
    /// The user is now a member and may read the log after `after`.
    case added(Membership, after: Int64)
    /// The user is no longer a member. `left` is the position of the `left` event, which the user's sockets receive
    /// before access ends; `nil` if the log has no such event, or not yet.
    case removed(ThreadID, left: Position? = nil)
    /// An auth session has ended: its sockets close with 4001.
    case sessionRevoked(TokenHash)
    /// The user is erased: all their sockets close with 4001.
    case erased
    /// Some other state of the user has changed, such as the password: nodes reload it at once.
    case changed
}

/// An event that members of a thread see but that is not in its log: it has no seq, is never stored, and is lost if
/// nobody listens.
package enum EphemeralEvent: Hashable, Sendable {
    /// A guest of the line protocol joined.
    case guestJoined(String)
    /// A guest of the line protocol left.
    case guestLeft(String)
    /// A user started or stopped typing.
    case typing(User, isOn: Bool)
    /// A user has read up to `seq`; `date` is in Unix seconds.
    case read(UserID, seq: Int64, date: Int64)
    /// The event at this position has been stored; sent only to clients that requested it.
    case stored(seq: Int64, epoch: Epoch)
}

/// An event that a program outside Parley, such as Django's `group_send`, published in a thread's group.
///
/// It is delivered unchanged to connected members. It has no seq, is not stored, and is lost if nobody listens.
package struct ForeignEvent: Hashable, Sendable {
    /// A JSON object in UTF-8, delivered to clients unchanged. Empty if it is not for clients unless it is adopted.
    package let json: [UInt8]
    /// Set if events of its type are adopted: it is delivered only if that fails.
    package let adoption: AdoptionRequest?

    package init(json: [UInt8], adoption: AdoptionRequest? = nil) {
        self.json = json
        self.adoption = adoption
    }
}
