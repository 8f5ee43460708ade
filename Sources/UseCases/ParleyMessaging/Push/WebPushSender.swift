import ParleyJSON
package import ParleyModel

/// Sends pushes to subscriptions of browsers (RFC 8030, RFC 8291, RFC 8292).
///
/// A user chooses the endpoint, so it is treated as the URL of a webhook: its literal address is checked here, and the
/// addresses of its name by `PushRequests`, which get it as a stranger.
package struct WebPushSender: PushSender {
    /// The maximum number of push services whose tokens are kept.
    package static let maximumServices = 64

    private let key: VAPIDKey
    private let networks: WebhookNetworks
    private let requests: any PushRequests
    private let tokens: PushTokens

    package init(
        key: VAPIDKey, networks: WebhookNetworks, requests: any PushRequests, clock: WallClock = .system
    ) {
        self.key = key
        self.networks = networks
        self.requests = requests
        tokens = PushTokens(capacity: Self.maximumServices, clock: clock)
    }

    package func send(_ notification: PushNotification, to target: PushTarget) async -> PushOutcome {
        guard case .web(let subscription) = target else { return .refused(reason: "not a subscription of a browser") }
        let endpoint = subscription.endpoint
        do { try networks.check(endpoint) } catch { return .refused(reason: "\(error)") }
        guard let payload = Self.payload(notification) else { return .refused(reason: "the payload is too large") }
        do {
            let audience = VAPIDKey.audience(of: endpoint)
            let token = try await tokens.token(for: audience) { [key] now throws(PushTokenError) in
                try await key.token(for: audience, at: now)
            }
            let body = try WebPushCipher().body(payload, for: subscription)
            let answer = try await requests.answer(
                to: PushRequest(
                    PushRequest.Stranger(
                        isTLS: endpoint.scheme == .https, host: endpoint.host, port: endpoint.port,
                        target: endpoint.target),
                    headers: headers(notification, subscription, token), body: body))
            return Self.outcome(of: answer)
        } catch let error as PushTokenError {
            return error.outcome
        } catch let error as WebPushCipher.Failure {
            return .refused(reason: error.explanation)
        } catch let error as PushRequestError {
            return PushOutcome(error)
        } catch {
            return .retry(after: nil, reason: "\(error)")
        }
    }

    private func headers(
        _ notification: PushNotification, _ subscription: WebPushSubscription, _ token: PushToken
    ) -> [PushRequest.Header] {
        [
            .init("authorization", key.authorization(token)),
            .init("ttl", "\(notification.lifetimeSeconds)"),
            .init("urgency", Self.urgency(of: notification)),
            .init("topic", PushCollapse.topic(of: notification, secret: subscription.secret)),
            .init("content-encoding", "aes128gcm"),
            .init("content-type", "application/octet-stream"),
        ]
    }

    /// RFC 8030 §5.3: chat messages have the urgency `normal`.
    private static func urgency(of notification: PushNotification) -> String {
        guard let alert = notification.alert else { return "low" }
        return alert.isMention ? "high" : "normal"
    }

    /// Returns the message for the page's service worker, with texts cut to what a push has room for.
    static func payload(_ notification: PushNotification) -> [UInt8]? {
        PushPayload { title, body in
            var json = JSONWriter(capacity: 1_024)
            json.object { notification.writeMembers(to: &$0, texts: (title, body)) }
            return json.bytes
        }.bytes(
            title: notification.alert?.title ?? "", body: notification.alert?.body ?? "",
            limit: WebPushCipher.maximumMessage)
    }

    /// The statuses of RFC 8030 (§5, §7.2, §7.3, §8.4) and RFC 8292 (§4.2). A service's text is not read: its form is not
    /// specified.
    static func outcome(of answer: PushAnswer) -> PushOutcome {
        switch answer.status {
        case 404, 410: .gone(since: nil)
        // 401 and 403 say that a subscription was made for another key; one endpoint says little about the server.
        default:
            PushOutcome(answer, reason: "by the push service")
                ?? .refused(reason: "\(answer.status) by the push service")
        }
    }
}
