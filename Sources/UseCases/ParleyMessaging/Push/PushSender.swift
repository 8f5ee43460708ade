import Synchronization

/// Sends pushes to devices: one attempt each. The caller repeats it, removes dead tokens and counts.
package protocol PushSender: Sendable {
    func send(_ notification: PushNotification, to target: PushTarget) async -> PushOutcome
}

/// The senders of all services that the operator has set up.
///
/// It admits a bounded number of sends at a time. The mutex guards the number and is not held during a send.
package final class PushSenders: PushSender {
    /// The maximum number of sends at a time, unless another one is set.
    package static let standardSends = 64

    private let apns: (any PushSender)?
    private let fcm: (any PushSender)?
    private let web: (any PushSender)?
    private let maximumSends: Int
    private let running = Mutex(0)

    /// - Parameter maximumSends: A send beyond this number gets `retry` at once, so that no queue grows here. At least 1.
    package init(
        apns: (any PushSender)? = nil, fcm: (any PushSender)? = nil, web: (any PushSender)? = nil,
        maximumSends: Int = PushSenders.standardSends
    ) {
        self.apns = apns
        self.fcm = fcm
        self.web = web
        self.maximumSends = max(1, maximumSends)
    }

    package func send(_ notification: PushNotification, to target: PushTarget) async -> PushOutcome {
        let (sender, name) = sender(for: target)
        guard let sender else { return .misconfigured(reason: "no key for \(name) is set") }
        let isAdmitted = running.withLock { running in
            guard running < maximumSends else { return false }
            running += 1
            return true
        }
        guard isAdmitted else {
            return .retry(after: .seconds(1), reason: "\(maximumSends) pushes are being sent")
        }
        defer { running.withLock { $0 -= 1 } }
        return await sender.send(notification, to: target)
    }

    private func sender(for target: PushTarget) -> (sender: (any PushSender)?, name: String) {
        switch target {
        case .apns: (apns, "APNs")
        case .fcm: (fcm, "FCM")
        case .web: (web, "Web Push")
        }
    }
}
