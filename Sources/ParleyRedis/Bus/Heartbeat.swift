/// Whether a subscriber hears what its own node says, as a value.
///
/// At each tick the node publishes a number to itself. Only what Redis has taken counts as said; a subscriber that has
/// not heard three of them in a row is deaf.
package struct Heartbeat: Hashable, Sendable {
    /// What a tick asks for.
    package enum Action: Hashable, Sendable {
        case publish(Int)
        /// The subscription is of no use.
        case giveUp
    }

    private static var timeout: Int { 3 }

    private var last = 0
    private var lastHeard = 0
    /// Taken by Redis since something was heard.
    private var unheard = 0

    package init() {}

    package mutating func ticked() -> Action {
        guard unheard < Self.timeout else {
            unheard = 0
            return .giveUp
        }
        last += 1
        return .publish(last)
    }

    /// Redis has taken what was said; it may have been heard before that is known.
    package mutating func published(_ number: Int) {
        if number > lastHeard { unheard += 1 }
    }

    /// What was said has come back.
    package mutating func heard(_ number: Int) {
        lastHeard = number
        unheard = 0
    }

    /// The subscription is new: what was said before it cannot be heard.
    package mutating func began() {
        lastHeard = last
        unheard = 0
    }
}
