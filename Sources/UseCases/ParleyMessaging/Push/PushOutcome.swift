import ParleyModel

/// The result of one attempt to send a push.
package enum PushOutcome: Hashable, Sendable {
    /// The service has accepted the push.
    case delivered
    /// The token or subscription is dead and must be removed, unless the device was registered after `since`.
    /// - since: The time from which the service knows it, in Unix milliseconds; `nil` if the service does not say.
    case gone(since: Int64?)
    /// A later attempt can succeed.
    /// - after: The time that the service asks to wait, at most `longestWait`; `nil` if it does not say.
    case retry(after: Duration?, reason: String)
    /// This push to this device fails each time.
    case refused(reason: String)
    /// Each push to this service fails until the operator changes a setting.
    case misconfigured(reason: String)

    /// The maximum of `retry(after:)`, one day.
    package static let longestWait = Duration.seconds(86_400)

    /// Reads the header `Retry-After` (RFC 9110 §10.2.3).
    /// - Returns: `nil` for a date, which the three services do not send, and for a text that is not a number.
    static func wait(_ retryAfter: String?) -> Duration? {
        guard let retryAfter, (1...9).contains(retryAfter.utf8.count),
            retryAfter.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int64(retryAfter)
        else { return nil }
        return min(.seconds(seconds), longestWait)
    }

    /// The outcome of statuses that say the same for each service: 200 to 299, 408, 429 and 500 to 599.
    init?(_ answer: PushAnswer, reason: String) {
        switch answer.status {
        case 200...299: self = .delivered
        case 408, 429, 500...599:
            self = .retry(after: Self.wait(answer.retryAfter), reason: "\(answer.status) \(reason)")
        default: return nil
        }
    }
}

extension PushOutcome {
    init(_ error: PushRequestError) {
        self =
            error.isRefusal
            ? .refused(reason: error.explanation) : .retry(after: nil, reason: error.explanation)
    }
}

/// The text of an error code for logs: at most 64 letters, digits, `_` and `-` of a service's response.
struct PushReason {
    let text: String

    init(_ text: String?) {
        let text = text ?? ""
        let isCode = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
            default: false
            }
        }
        self.text = isCode && !text.isEmpty ? String(text.prefix(64)) : "without a code"
    }
}
