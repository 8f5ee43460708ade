/// Publish/subscribe for events of threads and users across nodes, as seen by one node.
///
/// Events are published by `MessageLog.append`. Within a thread a node receives events in the order of their
/// acceptance; a node that loses its connection may miss some, and is notified.
package protocol ThreadBus: Sendable {
    /// Sets the receiver; called once, before anything else. `receiver` is called on any thread, one call at a time.
    func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void)

    /// Subscribes to topics. Calls take effect in order; subscribing twice is one subscription.
    /// - Parameter completion: called once, when everything published from now on will be received.
    func subscribe(to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void)

    /// Unsubscribes from topics; signals already on the way may still arrive.
    func unsubscribe(from topics: [BusTopic])

    /// Notifies every node with sockets of `user`. Fire and forget: lasting facts are in the store as well.
    func publish(_ event: ControlEvent, to user: UserID)

    /// Notifies the members of `thread`, on this node too. Fire and forget.
    func publish(_ event: EphemeralEvent, in thread: ThreadID)
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
    case unavailable(String)
}
