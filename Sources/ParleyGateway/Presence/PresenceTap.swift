package import ParleyModel

/// A bus whose signals of presence go to a `PresenceWatch`, and all others to whoever attaches.
package final class PresenceTap: ThreadBus {
    private let bus: any ThreadBus
    private let watch: PresenceWatch

    package init(_ bus: any ThreadBus, watch: PresenceWatch) {
        self.bus = bus
        self.watch = watch
    }

    package func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void) {
        bus.attach { [watch] signal in
            switch signal {
            case .presence(let presence): watch.heard(presence)
            case .resubscribed:
                watch.missedSomething()
                receiver(signal)
            default: receiver(signal)
            }
        }
    }

    package func subscribe(
        to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void
    ) {
        bus.subscribe(to: topics, completion: completion)
    }

    package func unsubscribe(from topics: [BusTopic]) {
        bus.unsubscribe(from: topics)
    }

    package func publish(_ event: ControlEvent, to user: UserID) {
        bus.publish(event, to: user)
    }

    package func publish(_ notice: ThreadNotice, in thread: ThreadID) {
        bus.publish(notice, in: thread)
    }
}
