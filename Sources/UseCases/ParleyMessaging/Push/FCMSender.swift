import ParleyJSON
package import ParleyModel

/// Sends pushes by the HTTP v1 API of Firebase Cloud Messaging
/// (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
package struct FCMSender: PushSender {
    /// The address of the service, without a path.
    package static let google = "https://fcm.googleapis.com"
    /// The maximum size of a message in bytes, without the token. FCM counts keys and values only, so it allows a little
    /// more.
    package static let maximumPayload = 4_096

    /// The audience under which the one token is kept.
    private static let audience = "fcm"

    private let account: FCMAccount
    private let requests: any PushRequests
    private let host: String
    private let tokenURL: String
    private let tokens: PushTokens

    /// - Parameter tokenURL: The authorization server, that of the account if `nil`.
    package init(
        account: FCMAccount, requests: any PushRequests, host: String = FCMSender.google, tokenURL: String? = nil,
        clock: WallClock = .system
    ) {
        self.account = account
        self.requests = requests
        self.host = host
        self.tokenURL = tokenURL ?? account.tokenURL
        tokens = PushTokens(capacity: 1, clock: clock)
    }

    package func send(_ notification: PushNotification, to target: PushTarget) async -> PushOutcome {
        guard case .fcm(let device) = target else { return .refused(reason: "not a device of FCM") }
        guard let payload = Self.payload(notification, to: device) else {
            return .refused(reason: "the payload is too large")
        }
        do {
            let token = try await tokens.token(for: Self.audience) {
                [account, requests, tokenURL] now throws(PushTokenError) in
                try await account.token(at: now, from: tokenURL, requests)
            }
            let answer = try await requests.answer(
                to: PushRequest(
                    "\(host)/v1/projects/\(account.project)/messages:send",
                    headers: [
                        .init("authorization", "Bearer \(token.text)"), .init("content-type", "application/json"),
                    ], body: payload))
            return outcome(of: answer, token)
        } catch let error as PushTokenError {
            return error.outcome
        } catch let error as PushRequestError {
            return PushOutcome(error)
        } catch {
            return .retry(after: nil, reason: "\(error)")
        }
    }

    /// Returns the request's body with texts cut, so that the message without its token has at most `maximumPayload` bytes.
    static func payload(_ notification: PushNotification, to device: FCMDevice) -> [UInt8]? {
        PushPayload { title, body in
            var json = JSONWriter(capacity: 1_024)
            json.object { json in
                json.key("message")
                json.object { json in
                    json.member("token", device.token)
                    notification.writeFCM(to: &json, title: title, body: body)
                }
            }
            return json.bytes
        }.bytes(
            title: notification.alert?.title ?? "", body: notification.alert?.body ?? "",
            limit: maximumPayload + PushText.size(device.token.utf8))
    }

    // MARK: Responses

    private func outcome(of answer: PushAnswer, _ token: PushToken) -> PushOutcome {
        let error = FCMError(answer.body)
        // An access token can be revoked before its end.
        if answer.status == 401, error.code != "THIRD_PARTY_AUTH_ERROR" {
            tokens.drop(token, for: Self.audience)
            return .retry(after: .zero, reason: "401 \(PushReason(error.status).text)")
        }
        return Self.outcome(of: answer, error)
    }

    /// The documented errors (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode,
    /// https://firebase.google.com/docs/cloud-messaging/error-codes).
    static func outcome(of answer: PushAnswer, _ error: FCMError) -> PushOutcome {
        let reason = PushReason(error.code ?? error.status)
        let text = "\(answer.status) \(reason.text)"
        switch (answer.status, error.code) {
        case (404, "UNREGISTERED"?): return .gone(since: nil)
        // Without a field, it is the token that is invalid: the rest of the message has the same form for each device.
        case (400, "INVALID_ARGUMENT"?) where error.fields.isEmpty || error.fields == ["message.token"]:
            return .gone(since: nil)
        // The token is of an app of another project.
        case (403, "SENDER_ID_MISMATCH"?): return .refused(reason: text)
        case (401, _), (403, _), (404, nil): return .misconfigured(reason: text)
        // Google's minimum for a quota of a minute.
        case (429, _): return .retry(after: PushOutcome.wait(answer.retryAfter) ?? .seconds(60), reason: text)
        default: return PushOutcome(answer, reason: reason.text) ?? .refused(reason: text)
        }
    }
}

/// An error in a response of FCM (https://cloud.google.com/apis/design/errors).
struct FCMError: Hashable {
    /// The error of Google's APIs, e.g. `INVALID_ARGUMENT`.
    var status: String?
    /// The error of FCM, e.g. `UNREGISTERED`.
    var code: String?
    /// The fields of the request that are wrong, if they are named.
    var fields: [String] = []

    init(_ body: [UInt8]) {
        let error = JSONTree.answer(body)?["error"]
        status = error?["status"]?.text
        for detail in error?["details"]?.elements ?? [] {
            if code == nil, detail["@type"]?.text == "type.googleapis.com/google.firebase.fcm.v1.FcmError" {
                code = detail["errorCode"]?.text
            }
            fields += (detail["fieldViolations"]?.elements ?? []).compactMap { $0["field"]?.text }
        }
    }
}

extension PushNotification {
    /// Writes the members of a message of FCM behind its target.
    fileprivate func writeFCM(to json: inout JSONWriter, title: String, body: String) {
        let collapse = PushCollapse.key(of: self)
        if alert != nil {
            json.key("notification")
            json.object { json in
                json.member("title", title)
                json.member("body", body)
            }
        }
        json.key("data")
        json.object { writeData(to: &$0) }
        json.key("android")
        json.object { json in
            // High priority is for what a user sees.
            json.member("priority", alert == nil ? "NORMAL" : "HIGH")
            json.member("ttl", "\(lifetimeSeconds)s")
            // FCM keeps four keys for a device that it cannot reach. Messages have none, since each has an own alert.
            if alert == nil { json.member("collapse_key", collapse) }
            if alert != nil {
                json.key("notification")
                json.object { json in
                    json.member("tag", collapse)
                    json.member("notification_count", Int64(clamping: min(max(0, unread.thread), 9_999)))
                }
            }
        }
    }

    /// The values of data are texts.
    private func writeData(to json: inout JSONWriter) {
        json.member("kind", kindName)
        json.member("thread", thread.text)
        if let alert {
            json.member("id", alert.id.text)
            json.member("sender_id", alert.sender.text)
            json.member("sender_name", alert.senderName)
            json.member("thread_kind", alert.threadKind.rawValue)
            json.member("mention", alert.isMention ? "true" : "false")
        }
        json.member("seq", "\(seq)")
        json.member("unread_thread", "\(max(0, unread.thread))")
        json.member("unread_total", "\(max(0, unread.total))")
        json.member("at_ms", "\(at)")
    }
}
