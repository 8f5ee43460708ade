/// An endpoint of a back end, which is sent stored events (`Webhooks`).
package struct Webhook: Hashable, Sendable {
    /// The maximum number of endpoints.
    package static let maximumCount = 50

    package let id: String
    package var settings: WebhookSettings
    package var progress: WebhookProgress
    package let createdMilliseconds: Int64
    /// The end of the lease of the process that sends, in Unix milliseconds by the database's clock.
    package let untilMilliseconds: Int64

    package init(
        id: String, settings: WebhookSettings, progress: WebhookProgress, createdMilliseconds: Int64,
        untilMilliseconds: Int64 = 0
    ) {
        self.id = id
        self.settings = settings
        self.progress = progress
        self.createdMilliseconds = createdMilliseconds
        self.untilMilliseconds = untilMilliseconds
    }

    /// Whether events are sent.
    package var isEnabled: Bool { progress.disabled == nil }

    /// Whether a text has the form of an ID: `wh_` and 20 hex digits.
    package static func isID(_ text: String) -> Bool {
        let digits = text.dropFirst(3)
        return text.hasPrefix("wh_") && digits.utf8.count == 20
            && digits.utf8.allSatisfy { byte in (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
    }
}

/// The choices of the back end to which an endpoint belongs.
package struct WebhookSettings: Hashable, Sendable {
    /// The numbers of events that one request may have.
    package static let batches = 1...200
    /// The maximum number of secrets that are valid at the same time.
    package static let maximumSecrets = 2

    package var url: String
    /// The kinds of log events; `nil` for all.
    package var kinds: Set<LogEvent.Kind>?
    /// The lanes whose rows are sent.
    package var rows: Set<RowLane>
    /// `nil` for all threads.
    package var thread: ThreadID?
    /// The sender, the subject, the author, the user concerned, the actor or the recipient; `nil` for all users.
    package var user: UserID?
    /// The maximum number of events of a request, in `batches`. With 1, the body is one event.
    package var batch: Int
    /// The texts of the secrets, the newest first, at most `maximumSecrets`.
    package var secrets: [String]

    package init(
        url: String, kinds: Set<LogEvent.Kind>? = nil, rows: Set<RowLane> = [], thread: ThreadID? = nil,
        user: UserID? = nil, batch: Int = 1, secrets: [String]
    ) {
        self.url = url
        self.kinds = kinds
        self.rows = rows
        self.thread = thread
        self.user = user
        self.batch = min(max(batch, Self.batches.lowerBound), Self.batches.upperBound)
        self.secrets = Array(secrets.prefix(Self.maximumSecrets))
    }

    /// The events of the endpoint.
    package var query: EventQuery { EventQuery(kinds: kinds, rows: rows, thread: thread, user: user) }

    /// `kinds` and `rows`, by their names.
    package var eventKinds: EventKinds {
        get { EventKinds(log: kinds, rows: rows) }
        set { (kinds, rows) = (newValue.log, newValue.rows) }
    }
}

/// The progress of an endpoint: everything before `place` has been accepted, is a dead letter, or belongs to a thread that
/// waits.
package struct WebhookProgress: Hashable, Sendable {
    package var place: EventCursor
    /// The threads that wait after a failure, by their IDs.
    package var waiting: [ThreadID: WebhookWait] = [:]
    /// The reason that nothing is sent; `nil` for an endpoint that is enabled.
    package var disabled: String?
    /// The times of the last request that was accepted and of the last failure, in Unix milliseconds.
    package var successMilliseconds: Int64?
    package var failureMilliseconds: Int64?
    /// The last failure in words, without what the endpoint has answered.
    package var failure: String?

    package init(place: EventCursor) {
        self.place = place
    }
}

/// A thread whose next event has been refused.
package struct WebhookWait: Hashable, Sendable {
    /// The thread continues after this place, and after the event `delivered`.
    package var place: EventCursor
    /// The ID of the last event after `place` that has been accepted; `nil` for none.
    package var delivered: String?
    /// The number of failed attempts to deliver the next event.
    package var attempts: Int
    /// The time of the first one, in Unix milliseconds; `nil` without one.
    package var firstFailure: Int64?
    /// The time of the next attempt, in Unix milliseconds.
    package var next: Int64

    package init(place: EventCursor, delivered: String?, attempts: Int, firstFailure: Int64?, next: Int64) {
        self.place = place
        self.delivered = delivered
        self.attempts = attempts
        self.firstFailure = firstFailure
        self.next = next
    }
}

/// An event that an endpoint has refused until it was given up. It has no content of the event.
package struct DeadLetter: Hashable, Sendable {
    /// The maximum number of dead letters of an endpoint. With one more, the oldest is removed.
    package static let maximumCount = 10_000

    /// Ascends with the time; 0 before it is stored.
    package let id: Int64
    /// The ID of the event.
    package let event: String
    package let attempts: Int
    package let reason: String
    /// The time of the last attempt, in Unix milliseconds.
    package let failedMilliseconds: Int64
    /// Whether the event will be sent again.
    package let isReplayed: Bool

    package init(
        id: Int64 = 0, event: String, attempts: Int, reason: String, failedMilliseconds: Int64, isReplayed: Bool = false
    ) {
        self.id = id
        self.event = event
        self.attempts = attempts
        self.reason = reason
        self.failedMilliseconds = failedMilliseconds
        self.isReplayed = isReplayed
    }
}
