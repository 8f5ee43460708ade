package import NIOCore

/// A connection that wants to be asked now and then whether it still lives.
package protocol Heartbeating: AnyObject {
    /// - Parameter now: seconds by the loop's clock.
    /// - Returns: after how many seconds to ask again; `nil` if that is not wanted, or was arranged meanwhile.
    func heartbeat(at now: Int64) -> Int64?

    /// Where the wheel has the connection; the wheel's own note.
    var place: HeartbeatWheel.Place? { get set }
}

/// The deadlines of one event loop: one timer a second for all its connections, instead of one for each.
///
/// A deadline is set, moved and taken back in constant time, whereas cancelling a timer of an event loop searches all
/// that there are. The wheel turns once a second, so a deadline is met up to a second late, and holds nothing that was
/// taken out.
///
/// Bound to its event loop.
package final class HeartbeatWheel {
    /// Where a connection is in the wheel.
    package struct Place {
        fileprivate let slot: Int32
        fileprivate let index: Int32
    }

    /// The longest time between two beats, in seconds.
    package static let horizon: Int64 = 63

    private let loop: any EventLoop
    private var slots: [[any Heartbeating]] = Array(repeating: [], count: Int(horizon) + 1)
    private var lastTick: Int64
    private var timer: RepeatedTask?

    package init(loop: any EventLoop) {
        self.loop = loop
        lastTick = Self.seconds(loop)
    }

    /// How many connections wait for their next beat.
    package var count: Int { slots.reduce(0) { $0 + $1.count } }

    package func start() {
        let bound = NIOLoopBound(self, eventLoop: loop)
        timer = loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            let wheel = bound.value
            wheel.turn(to: Self.seconds(wheel.loop))
        }
    }

    package func stop() {
        timer?.cancel()
        timer = nil
        for slot in slots.indices { take(slot) }
    }

    /// Asks `connection` after so many seconds, 1 to `horizon`, and not when it was to be asked before.
    package func schedule(_ connection: any Heartbeating, after seconds: Int64) {
        remove(connection)
        let due = lastTick + min(max(seconds, 1), Self.horizon)
        let slot = Int(due) % slots.count
        connection.place = Place(slot: Int32(slot), index: Int32(slots[slot].count))
        slots[slot].append(connection)
    }

    /// Asks `connection` when at least `time` has passed, and 2 s more at most; see `schedule(_:after:)`.
    package func schedule(_ connection: any Heartbeating, after time: TimeAmount) {
        // The wheel may have turned some time ago.
        let due = Int64(clamping: (loop.now + time).uptimeNanoseconds).advanced(by: 999_999_999) / 1_000_000_000
        schedule(connection, after: due - lastTick)
    }

    /// Asks `connection` no more.
    package func remove(_ connection: any Heartbeating) {
        guard let place = connection.place else { return }
        connection.place = nil
        let slot = Int(place.slot)
        let last = slots[slot].removeLast()
        guard last !== connection else { return }
        slots[slot][Int(place.index)] = last
        last.place = place
    }

    /// Asks everybody whose time has come.
    /// - Parameter now: seconds by the loop's clock.
    package func turn(to now: Int64) {
        // A late timer has several seconds to make up for, each slot once at most.
        for second in max(lastTick + 1, now - Self.horizon)...max(now, lastTick + 1) {
            lastTick = second
            for connection in take(Int(second) % slots.count) {
                if let delay = connection.heartbeat(at: now) { schedule(connection, after: delay) }
            }
        }
    }

    @discardableResult
    private func take(_ slot: Int) -> [any Heartbeating] {
        let connections = slots[slot]
        slots[slot] = []
        // Beats may take out or move others of the same slot, which is not theirs any more.
        for connection in connections { connection.place = nil }
        return connections
    }

    /// The whole seconds of a loop's clock.
    package static func seconds(_ loop: any EventLoop) -> Int64 {
        Int64(clamping: loop.now.uptimeNanoseconds / 1_000_000_000)
    }
}
