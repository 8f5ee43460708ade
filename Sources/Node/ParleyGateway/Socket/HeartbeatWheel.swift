package import NIOCore

/// A connection with a deadline in a `HeartbeatWheel`.
package protocol Heartbeating: AnyObject {
    /// The deadline has passed.
    /// - Parameter now: seconds by the loop's clock.
    /// - Returns: the seconds until the next deadline; `nil` for none, or if it is scheduled already.
    func heartbeat(at now: Int64) -> Int64?

    /// The place of the connection in the wheel; set by the wheel only.
    var place: HeartbeatWheel.Place? { get set }
}

/// The deadlines of one event loop: one timer per second for all its connections, instead of one for each.
///
/// A deadline is set, moved and removed in constant time, whereas cancelling a timer of an event loop searches all
/// timers. The wheel turns once a second, so a deadline is met up to a second late. It does not retain removed
/// connections.
///
/// Bound to its event loop.
package final class HeartbeatWheel {
    /// The place of a connection in the wheel.
    package struct Place {
        fileprivate let slot: Int32
        fileprivate let index: Int32
    }

    /// The longest delay, in seconds.
    package static let horizon: Int64 = 63

    private let loop: any EventLoop
    private var slots: [[any Heartbeating]] = Array(repeating: [], count: Int(horizon) + 1)
    private var lastTick: Int64

    package init(loop: any EventLoop) {
        self.loop = loop
        lastTick = Self.seconds(loop)
    }

    package func start() {
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            let wheel = bound.value
            wheel.turn(to: Self.seconds(wheel.loop))
        }
    }

    /// Sets the deadline of `connection` in 1 to `horizon` seconds, in place of its former one.
    package func schedule(_ connection: any Heartbeating, after seconds: Int64) {
        remove(connection)
        let due = lastTick + min(max(seconds, 1), Self.horizon)
        let slot = Int(due) % slots.count
        connection.place = Place(slot: Int32(slot), index: Int32(slots[slot].count))
        slots[slot].append(connection)
    }

    /// Sets the deadline of `connection` so that at least `time` passes, and at most 2 s more; see
    /// `schedule(_:after:)`.
    package func schedule(_ connection: any Heartbeating, after time: TimeAmount) {
        // The last turn may be some time ago.
        let due = Int64(clamping: (loop.now + time).uptimeNanoseconds).advanced(by: 999_999_999) / 1_000_000_000
        schedule(connection, after: due - lastTick)
    }

    /// Removes the deadline of `connection`.
    package func remove(_ connection: any Heartbeating) {
        guard let place = connection.place else { return }
        connection.place = nil
        let slot = Int(place.slot)
        let last = slots[slot].removeLast()
        guard last !== connection else { return }
        slots[slot][Int(place.index)] = last
        last.place = place
    }

    /// Calls all connections whose deadline has passed.
    /// - Parameter now: seconds by the loop's clock.
    package func turn(to now: Int64) {
        // A late timer catches up on several seconds, each slot once at most.
        for second in max(lastTick + 1, now - Self.horizon)...max(now, lastTick + 1) {
            lastTick = second
            for connection in take(Int(second) % slots.count) {
                if let delay = connection.heartbeat(at: now) { schedule(connection, after: delay) }
            }
        }
    }

    private func take(_ slot: Int) -> [any Heartbeating] {
        let connections = slots[slot]
        slots[slot] = []
        // Heartbeats may remove or move others of the same slot.
        for connection in connections { connection.place = nil }
        return connections
    }

    /// The time of a loop's clock in whole seconds.
    package static func seconds(_ loop: any EventLoop) -> Int64 {
        Int64(clamping: loop.now.uptimeNanoseconds / 1_000_000_000)
    }
}
