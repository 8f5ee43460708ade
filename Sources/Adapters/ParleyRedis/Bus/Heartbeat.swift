/// Detects a subscriber that no longer receives, as a value.
///
/// On each tick the node publishes a number to its own channel. Only numbers that Redis has accepted count. A
/// subscriber that has not received three accepted numbers in a row is given up.
package struct Heartbeat: Hashable, Sendable {
    /// The action after a tick.
    package enum Action: Hashable, Sendable {
        case publish(Int)
        /// The subscription does not deliver; reconnect.
        case giveUp
    }

    private static var timeout: Int { 3 }

    private var last = 0
    private var lastReceived = 0
    /// The number of accepted publishes since the last one was received.
    private var outstanding = 0

    package init() {}

    /// Counts a tick: publishes the next number, or gives up after three accepted ones that were not received.
    package mutating func ticked() -> Action {
        guard outstanding < Self.timeout else {
            outstanding = 0
            return .giveUp
        }
        last += 1
        return .publish(last)
    }

    /// Records that Redis has accepted a number, which may have been received before.
    package mutating func published(_ number: Int) {
        if number > lastReceived { outstanding += 1 }
    }

    /// Records that a number was received.
    package mutating func received(_ number: Int) {
        lastReceived = number
        outstanding = 0
    }

    /// Records that a new subscription began; numbers published before it cannot arrive.
    package mutating func began() {
        lastReceived = last
        outstanding = 0
    }
}
