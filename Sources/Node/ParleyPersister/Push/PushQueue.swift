package import ParleyMessaging
package import ParleyModel

/// The pushes of a process that have not been sent. It has no clock and no connection.
///
/// A device gets one push at a time, and a user a few. A service that does not answer, or asks for a pause, holds up the pushes to
/// this device only, and later messages of a thread take the place of earlier ones.
package struct PushQueue {
    /// The maximum number of pushes in progress, in all and to one user.
    package static let (maximumInProgress, maximumOfUser) = (200, 4)
    /// The maximum number of pushes that wait for one device. With one more, the oldest is dropped.
    package static let maximumOfDevice = 20
    /// The maximum number of devices for which pushes wait. Pushes to others are dropped.
    package static let maximumDevices = 10_000
    /// The maximum number of attempts of a push.
    package static let maximumAttempts = 3
    /// The maximum pause before another attempt.
    private static let longestPause = Duration.seconds(60)

    package struct Push: Hashable, Sendable {
        package let notification: PushNotification
        package let device: PushDevice
        fileprivate var attempts = 0

        /// Whether an attempt has failed.
        package var hasWaited: Bool { attempts > 0 }

        package init(_ notification: PushNotification, to device: PushDevice) {
            self.notification = notification
            self.device = device
        }
    }

    /// The pushes to one device.
    private struct Line {
        var waiting: [Push] = []
        var isBusy = false
        /// The time of the next attempt, in Unix milliseconds.
        var due: Int64 = 0
    }

    private var lines: [DeviceID: Line] = [:]
    /// The devices for which pushes wait, in the order in which they get one.
    private var order: [DeviceID] = []
    private var users: [UserID: Int] = [:]
    private var inProgress = 0

    package init() {}

    /// Adds a push, which replaces one about the same thread that waits for the device.
    /// - Returns: `false` if it is dropped.
    package mutating func add(_ push: Push) -> Bool {
        let id = push.device.id
        var line = lines[id] ?? Line()
        if let index = line.waiting.firstIndex(where: { $0.notification.thread == push.notification.thread }) {
            line.waiting[index] = push
        } else {
            guard !line.waiting.isEmpty || order.count < Self.maximumDevices else { return false }
            if line.waiting.isEmpty { order.append(id) }
            line.waiting.append(push)
            if line.waiting.count > Self.maximumOfDevice { line.waiting.removeFirst() }
        }
        lines[id] = line
        return true
    }

    /// The next push to send; `nil` if none may begin now.
    package mutating func next(at now: Int64) -> Push? {
        guard inProgress < Self.maximumInProgress else { return nil }
        let index = order.firstIndex { id in
            guard let line = lines[id], let push = line.waiting.first else { return false }
            return !line.isBusy && line.due <= now && users[push.device.user] ?? 0 < Self.maximumOfUser
        }
        guard let index, var line = lines[order[index]] else { return nil }
        let id = order.remove(at: index)
        let push = line.waiting.removeFirst()
        if !line.waiting.isEmpty { order.append(id) }
        line.isBusy = true
        lines[id] = line
        users[push.device.user, default: 0] += 1
        inProgress += 1
        return push
    }

    /// Records the result of a push. Another attempt waits before later pushes to the device, unless one of them is about the same
    /// thread.
    package mutating func finished(_ push: Push, _ outcome: PushOutcome, at now: Int64) {
        let (id, user) = (push.device.id, push.device.user)
        inProgress -= 1
        users[user] = (users[user] ?? 1) > 1 ? (users[user] ?? 1) - 1 : nil
        guard var line = lines[id] else { return }
        line.isBusy = false
        if case .retry(let after, _) = outcome {
            var push = push
            push.attempts += 1
            let pause = min(max(after ?? .seconds(2 * push.attempts), .zero), Self.longestPause)
            line.due = now + pause.milliseconds
            let isReplaced = line.waiting.contains { $0.notification.thread == push.notification.thread }
            if push.attempts < Self.maximumAttempts, !isReplaced {
                if line.waiting.isEmpty { order.append(id) }
                line.waiting.insert(push, at: 0)
            }
        }
        lines[id] = line.waiting.isEmpty ? nil : line
    }
}
