package import ParleyMessaging
package import ParleyModel

/// Sends requests to the endpoints of back ends.
package protocol WebhookRequests: Sendable {
    /// Sends one request, within a time limit. It connects to allowed addresses only, and follows no redirects.
    func post(_ body: [UInt8], _ headers: WebhookHeaders, to url: WebhookURL) async -> WebhookOutcome
}

/// The stores that a sender of webhooks reads and writes.
package typealias WebhookStore = AuditLog & EventFeed & MessageStore & UnseenLog & Webhooks

/// Encodes the body of a request.
/// - Parameters:
///   - events: At least one.
///   - isBatch: Whether the body is an object with a list of events; otherwise it is the only event.
package typealias WebhookEncoder = @Sendable (_ events: [FeedEvent], _ isBatch: Bool) -> [UInt8]
