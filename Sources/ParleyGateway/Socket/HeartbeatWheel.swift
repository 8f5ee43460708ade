import NIOCore

/// A connection that wants to be asked now and then whether it still lives.
protocol Heartbeating: AnyObject {
    /// - Parameter now: seconds by the loop's clock.
    /// - Returns: after how many seconds to ask again, 1 to `HeartbeatWheel.horizon`; `nil` when it is gone.
    func heartbeat(at now: Int64) -> Int64?
}

/// The heartbeats of one event loop: one timer a second for all its connections, instead of one for each.
///
/// Bound to its event loop.
final class HeartbeatWheel {
    /// The longest time between two beats, in seconds.
    static let horizon: Int64 = 63

    private let loop: any EventLoop
    private var slots: [[any Heartbeating]] = Array(repeating: [], count: Int(horizon) + 1)
    private var lastTick: Int64
    private var timer: RepeatedTask?

    init(loop: any EventLoop) {
        self.loop = loop
        lastTick = Self.seconds(loop)
    }

    func start() {
        let bound = NIOLoopBound(self, eventLoop: loop)
        timer = loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in bound.value.tick() }
    }

    func stop() {
        timer?.cancel()
        timer = nil
        slots = Array(repeating: [], count: slots.count)
    }

    func add(_ connection: any Heartbeating, after seconds: Int64) {
        let due = lastTick + min(max(seconds, 1), Self.horizon)
        slots[Int(due) % slots.count].append(connection)
    }

    private func tick() {
        let now = Self.seconds(loop)
        // A late timer has several seconds to make up for, each slot once at most.
        for second in max(lastTick + 1, now - Self.horizon)...max(now, lastTick + 1) {
            lastTick = second
            let index = Int(second) % slots.count
            let due = slots[index]
            slots[index] = []
            for connection in due {
                if let delay = connection.heartbeat(at: now) { add(connection, after: delay) }
            }
        }
    }

    static func seconds(_ loop: any EventLoop) -> Int64 {
        Int64(clamping: loop.now.uptimeNanoseconds / 1_000_000_000)
    }
}
