import ParleyJSON
package import ParleyModel

/// Sends pushes to Apple Push Notification service
/// (https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
package struct APNsSender: PushSender {
    /// The addresses of the service, without a path.
    package struct Hosts: Sendable {
        package var production: String
        package var sandbox: String

        package init(production: String, sandbox: String) {
            self.production = production
            self.sandbox = sandbox
        }

        /// Apple's own.
        package static let apple = Hosts(
            production: "https://api.push.apple.com", sandbox: "https://api.sandbox.push.apple.com")
    }

    /// The maximum size of a payload in bytes.
    package static let maximumPayload = 4_096

    /// The audience under which the one token is kept.
    private static let audience = "apns"

    private let key: APNsKey
    private let requests: any PushRequests
    private let hosts: Hosts
    private let clock: WallClock
    private let tokens: PushTokens

    package init(key: APNsKey, requests: any PushRequests, hosts: Hosts = .apple, clock: WallClock = .system) {
        self.key = key
        self.requests = requests
        self.hosts = hosts
        self.clock = clock
        tokens = PushTokens(capacity: 1, clock: clock)
    }

    package func send(_ notification: PushNotification, to target: PushTarget) async -> PushOutcome {
        guard case .apns(let device) = target else { return .refused(reason: "not a device of APNs") }
        guard let payload = Self.payload(notification) else { return .refused(reason: "the payload is too large") }
        do {
            let token = try await tokens.token(for: Self.audience) { [key] now throws(PushTokenError) in
                try await key.token(at: now)
            }
            let answer = try await requests.answer(to: request(notification, payload, device, token))
            return outcome(of: answer, token)
        } catch let error as PushTokenError {
            return error.outcome
        } catch let error as PushRequestError {
            return PushOutcome(error)
        } catch {
            return .retry(after: nil, reason: "\(error)")
        }
    }

    private func request(
        _ notification: PushNotification, _ payload: [UInt8], _ device: APNsDevice, _ token: PushToken
    ) -> PushRequest {
        let host = device.environment == .production ? hosts.production : hosts.sandbox
        let expiration = clock.seconds &+ notification.lifetimeSeconds
        return PushRequest(
            "\(host)/3/device/\(device.token)",
            headers: [
                .init("authorization", "bearer \(token.text)"),
                .init("apns-topic", device.topic),
                .init("apns-push-type", "alert"),
                .init("apns-priority", notification.alert == nil ? "5" : "10"),
                // 0 would be no attempt to deliver later.
                .init("apns-expiration", notification.lifetimeSeconds == 0 ? "0" : "\(expiration)"),
                .init("apns-collapse-id", PushCollapse.key(of: notification)),
                .init("content-type", "application/json"),
            ], body: payload)
    }

    /// Returns the payload with texts cut to `maximumPayload`.
    static func payload(_ notification: PushNotification) -> [UInt8]? {
        PushPayload { title, body in
            var json = JSONWriter(capacity: 1_024)
            json.object { json in
                json.key("aps")
                json.object { json in
                    if let alert = notification.alert {
                        json.key("alert")
                        json.object { json in
                            json.member("title", title)
                            json.member("body", body)
                        }
                        json.member("sound", "default")
                        // Lets a service extension of the app change the notification.
                        json.member("mutable-content", 1)
                        json.member("thread-id", notification.thread.text)
                        json.member("interruption-level", alert.isMention ? "time-sensitive" : "active")
                    } else {
                        // Wakes the app, which removes notifications of the thread.
                        json.member("content-available", 1)
                    }
                    json.member("badge", Int64(max(0, notification.unread.total)))
                }
                json.key("parley")
                json.object { notification.writeMembers(to: &$0, texts: nil) }
            }
            return json.bytes
        }.bytes(
            title: notification.alert?.title ?? "", body: notification.alert?.body ?? "", limit: maximumPayload)
    }

    // MARK: Responses

    private func outcome(of answer: PushAnswer, _ token: PushToken) -> PushOutcome {
        let body = JSONTree.answer(answer.body)
        let reason = body?["reason"]?.text
        if answer.status == 403, reason == "ExpiredProviderToken",
            clock.milliseconds &- token.made >= APNsKey.minimumAge.milliseconds
        {
            tokens.drop(token, for: Self.audience)
            return .retry(after: .zero, reason: "403 ExpiredProviderToken")
        }
        return Self.outcome(of: answer, reason: reason, since: body?["timestamp"]?.integer)
    }

    /// The documented statuses and reasons
    /// (https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
    static func outcome(of answer: PushAnswer, reason: String?, since: Int64?) -> PushOutcome {
        let text = "\(answer.status) \(PushReason(reason).text)"
        switch (answer.status, reason) {
        case (410, _): return .gone(since: since)
        case (400, "BadDeviceToken"?), (400, "DeviceTokenNotForTopic"?): return .gone(since: nil)
        // A device names its environment, for which a key may not be.
        case (403, "BadEnvironmentKeyIdInToken"?): return .refused(reason: text)
        // The key, the team or the clock is wrong, and so for each device.
        case (403, _): return .misconfigured(reason: text)
        case (400, "IdleTimeout"?): return .retry(after: nil, reason: text)
        case (429, "TooManyProviderTokenUpdates"?):
            return .retry(after: PushOutcome.wait(answer.retryAfter) ?? APNsKey.minimumAge, reason: text)
        default: return PushOutcome(answer, reason: PushReason(reason).text) ?? .refused(reason: text)
        }
    }
}
