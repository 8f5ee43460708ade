package import ParleyModel

/// An event as the delivery to an endpoint knows it, without its content.
package struct WebhookItem: Hashable, Sendable {
    /// The ID of the stored event, which is the same for each attempt.
    package let id: String
    package let thread: ThreadID

    package init(id: String, thread: ThreadID) {
        self.id = id
        self.thread = thread
    }
}

/// The result of an attempt to deliver.
package enum WebhookOutcome: Hashable, Sendable {
    /// A status of 200 to 299.
    case accepted
    /// 410: the endpoint wants nothing ever again.
    case gone
    /// 429 or 503 with the time after which the endpoint wants the next attempt.
    case later(Duration)
    /// Another status, which includes redirects.
    case refused(status: Int)
    /// No status: no connection, no answer in time, or an address that is not allowed.
    case failed(String)

    /// Whether the reason is the endpoint, and no event.
    var isForAll: Bool {
        if case .later = self { true } else { false }
    }

    /// The failure in words, without any text of the endpoint; `nil` for a success.
    package var failure: String? {
        switch self {
        case .accepted: nil
        case .gone: "status 410"
        case .later: "the endpoint asks for a pause"
        case .refused(let status): "status \(status)"
        case .failed(let reason): reason
        }
    }

    /// - Parameter retryAfter: The header `Retry-After`, if it is a number of seconds.
    package init(status: Int, retryAfter: Int64?) {
        switch status {
        case 200...299: self = .accepted
        case 410: self = .gone
        case 429, 503:
            self =
                retryAfter.map { WebhookOutcome.later(.seconds(min(max($0, 0), 86_400))) } ?? .refused(status: status)
        default: self = .refused(status: status)
        }
    }
}

/// The attempts to deliver one event, which decide about the next one.
package struct WebhookAttempts: Hashable, Sendable {
    package private(set) var count = 0
    /// The time of the first failure, in Unix milliseconds.
    package private(set) var firstFailure: Int64?
    /// The time of the next attempt, in Unix milliseconds; 0 before the first.
    package private(set) var next: Int64 = 0

    package init() {}

    package init(count: Int, firstFailure: Int64?, next: Int64) {
        self.count = count
        self.firstFailure = firstFailure
        self.next = next
    }

    /// Records a failure.
    /// - Returns: Whether there is another attempt.
    package mutating func fail(
        _ outcome: WebhookOutcome, at now: Int64, _ policy: WebhookPolicy,
        using generator: inout some RandomNumberGenerator
    ) -> Bool {
        let first = firstFailure ?? now
        firstFailure = first
        let bound = min(policy.longestPause, policy.firstPause * (1 << min(count, 20)))
        count = min(count, Int(Int32.max)) + 1
        // A pause of zero would spend the attempts of an endpoint that restarts, so only one half is random.
        var pause = bound / 2 + .milliseconds(Int64.random(in: 0...max(0, (bound / 2).milliseconds), using: &generator))
        if case .later(let asked) = outcome { pause = max(pause, min(asked, policy.longestPause)) }
        next = now &+ pause.milliseconds
        return next &- first <= policy.patience.milliseconds
    }
}

/// The bounds of deliveries to one endpoint.
package struct WebhookPolicy: Hashable, Sendable {
    /// The time from the first failure of an event after which it becomes a dead letter.
    package var patience: Duration
    package var firstPause: Duration
    /// The maximum pause, also for `Retry-After`.
    package var longestPause: Duration
    /// The maximum number of requests at the same time.
    package var maximumRequests: Int
    /// The maximum number of threads that wait after a failure. With one more, the endpoint as a whole waits.
    package var maximumParked: Int
    /// The number of failures without a success in between after which the endpoint as a whole waits.
    package var maximumFailures: Int
    /// The maximum number of events of a request.
    package var batch: Int

    package init(
        patience: Duration = .seconds(259_200), firstPause: Duration = .seconds(2),
        longestPause: Duration = .seconds(3_600), maximumRequests: Int = 8, maximumParked: Int = 100,
        maximumFailures: Int = 3, batch: Int = 1
    ) {
        self.patience = patience
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.maximumRequests = max(1, maximumRequests)
        self.maximumParked = max(0, maximumParked)
        self.maximumFailures = max(0, maximumFailures)
        self.batch = max(1, batch)
    }
}
