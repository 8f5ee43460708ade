/// How what happens in threads and to users reaches every node that has interest; this is one node's end of it.
///
/// Events come in by `MessageLog.append`, which publishes them. Within a thread a node receives events in the order in
/// which they were accepted; a node that loses its connection may miss some, and is told.
package protocol ThreadBus: Sendable {
    /// Sets who receives; called once, before anything else. `receiver` is called on any thread, one call at a time.
    func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void)

    /// Asks for the topics. Calls take effect in their order; subscribing twice is one subscription.
    /// - Parameter completion: called once, when everything published from now on will be received.
    func subscribe(to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void)

    /// Gives the topics up; what is on its way may still arrive.
    func unsubscribe(from topics: [BusTopic])

    /// Tells every node with sockets of `user`. Sent and forgotten: what must hold is in the store as well.
    func publish(_ event: ControlEvent, to user: UserID)

    /// Tells the members of `thread`, this node's too. Sent and forgotten.
    func publish(_ event: EphemeralEvent, in thread: ThreadID)
}

/// What can be subscribed to.
package enum BusTopic: Hashable, Sendable {
    /// The events and notices of a thread.
    case thread(ThreadID)
    /// The control events of a user.
    case user(UserID)
    /// Whether a user is online; see `PresenceRegistry`.
    case presence(UserID)
}

/// What a node receives.
package enum BusSignal: Hashable, Sendable {
    case event(LogEvent)
    case ephemeral(EphemeralEvent, ThreadID)
    case control(ControlEvent, UserID)
    case foreign(ForeignEvent, ThreadID)
    case presence(UserPresence)
    /// The connection was cut and is back, with all topics subscribed again: anything may have been missed.
    case resubscribed
}

package enum BusError: Error, Hashable, Sendable {
    case unavailable(String)
}
