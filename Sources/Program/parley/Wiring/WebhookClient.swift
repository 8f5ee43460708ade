import ParleyBlobs
import ParleyMessaging
import ParleyModel
import ParleyPersister

/// Sends the requests of webhooks.
struct WebhookClient: WebhookRequests {
    /// The time for a whole request.
    private static let timeLimit = Duration.seconds(15)
    /// The maximum number of endpoints whose connections are kept.
    private static let maximumIdle = 200

    private let requests: any PushRequests

    init(_ networks: WebhookNetworks) {
        requests = PushClient.requests(networks, timeLimit: Self.timeLimit, maximumIdle: Self.maximumIdle)
    }

    func post(_ body: [UInt8], _ headers: WebhookHeaders, to url: WebhookURL) async -> WebhookOutcome {
        let stranger = PushRequest.Stranger(
            isTLS: url.scheme == .https, host: url.host, port: url.port, target: url.target)
        let request = PushRequest(
            stranger,
            headers: [
                PushRequest.Header("content-type", "application/json"),
                PushRequest.Header("user-agent", "parley/\(Version.text)"),
                PushRequest.Header("webhook-id", headers.id),
                PushRequest.Header("webhook-timestamp", headers.timestamp),
                PushRequest.Header("webhook-signature", headers.signature),
            ], body: body)
        do throws(PushRequestError) {
            let answer = try await requests.answer(to: request)
            return WebhookOutcome(status: answer.status, retryAfter: answer.retryAfter.flatMap { Int64($0) })
        } catch {
            return .failed(error.explanation)
        }
    }
}
