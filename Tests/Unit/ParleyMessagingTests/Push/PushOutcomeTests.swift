import ParleyMessaging
import ParleyModel
import Testing

/// The errors that each service documents, and the outcome of each.
@Suite("Outcomes of pushes")
struct PushOutcomeTests {
    private let fixture: PushFixture

    init() throws {
        fixture = try PushFixture()
    }

    private func outcome(
        _ status: Int, _ body: String = "", retryAfter: String? = nil, of target: PushTarget
    ) async -> PushOutcome {
        fixture.services.plan(PushAnswer(status: status, retryAfter: retryAfter, body: Array(body.utf8)))
        return await fixture.senders.send(.message(), to: target)
    }

    private enum Expected {
        case delivered, gone, retry, refused, misconfigured

        init(_ outcome: PushOutcome) {
            self =
                switch outcome {
                case .delivered: .delivered
                case .gone: .gone
                case .retry: .retry
                case .refused: .refused
                case .misconfigured: .misconfigured
                }
        }
    }

    /// https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns
    private static let apns: [(status: Int, reason: String, expected: Expected)] = [
        (200, "", .delivered), (400, "BadCollapseId", .refused), (400, "BadDeviceToken", .gone),
        (400, "BadExpirationDate", .refused), (400, "BadMessageId", .refused), (400, "BadPriority", .refused),
        (400, "BadTopic", .refused), (400, "DeviceTokenNotForTopic", .gone), (400, "DuplicateHeaders", .refused),
        (400, "IdleTimeout", .retry), (400, "InvalidPushType", .refused), (400, "MissingDeviceToken", .refused),
        (400, "MissingTopic", .refused), (400, "PayloadEmpty", .refused), (400, "TopicDisallowed", .refused),
        (403, "BadCertificate", .misconfigured), (403, "BadCertificateEnvironment", .misconfigured),
        (403, "ExpiredProviderToken", .misconfigured), (403, "Forbidden", .misconfigured),
        (403, "InvalidProviderToken", .misconfigured), (403, "MissingProviderToken", .misconfigured),
        (403, "UnrelatedKeyIdInToken", .misconfigured), (403, "BadEnvironmentKeyIdInToken", .refused),
        (404, "BadPath", .refused), (405, "MethodNotAllowed", .refused), (410, "ExpiredToken", .gone),
        (410, "Unregistered", .gone), (413, "PayloadTooLarge", .refused), (429, "TooManyProviderTokenUpdates", .retry),
        (429, "TooManyRequests", .retry), (500, "InternalServerError", .retry), (503, "ServiceUnavailable", .retry),
        (503, "Shutdown", .retry), (400, "Unheard", .refused), (302, "", .refused),
    ]

    @Test("of APNs")
    func ofAPNs() async throws {
        for (status, reason, expected) in Self.apns {
            let body = reason.isEmpty ? "" : #"{"reason":"\#(reason)"}"#
            let outcome = await outcome(status, body, of: try PushFixture.apns())
            #expect(Expected(outcome) == expected, "\(status) \(reason): \(outcome)")
        }
        let gone = await outcome(
            410, #"{"reason":"Unregistered","timestamp":1799999000123}"#, of: try PushFixture.apns())
        #expect(gone == .gone(since: 1_799_999_000_123))
        let updates = await outcome(429, #"{"reason":"TooManyProviderTokenUpdates"}"#, of: try PushFixture.apns())
        #expect(updates == .retry(after: .seconds(1_200), reason: "429 TooManyProviderTokenUpdates"))
    }

    /// A response of FCM (https://firebase.google.com/docs/cloud-messaging/error-codes).
    private static func fcm(_ status: String, _ code: String? = nil, field: String? = nil) -> String {
        let error = code.map {
            #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#($0)"}"#
        }
        let request = field.map {
            #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#($0)"}]}"#
        }
        let details = [error, request].compactMap { $0 }.joined(separator: ",")
        return #"{"error":{"code":0,"message":"text","status":"\#(status)","details":[\#(details)]}}"#
    }

    @Test("of FCM")
    func ofFCM() async throws {
        // The token is got before the first of the planned responses.
        let target = try PushFixture.fcm()
        #expect(await fixture.senders.send(.message(), to: target) == .delivered)
        let table: [(status: Int, body: String, expected: Expected)] = [
            (404, Self.fcm("NOT_FOUND", "UNREGISTERED"), .gone),
            (400, Self.fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT"), .gone),
            (400, Self.fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT", field: "message.token"), .gone),
            (400, Self.fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT", field: "message.android.ttl"), .refused),
            (400, Self.fcm("INVALID_ARGUMENT", field: "message.data[0].value"), .refused),
            (400, "", .refused), (403, Self.fcm("PERMISSION_DENIED", "SENDER_ID_MISMATCH"), .refused),
            (403, Self.fcm("PERMISSION_DENIED"), .misconfigured), (404, Self.fcm("NOT_FOUND"), .misconfigured),
            (429, Self.fcm("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), .retry),
            (503, Self.fcm("UNAVAILABLE", "UNAVAILABLE"), .retry), (500, Self.fcm("INTERNAL", "INTERNAL"), .retry),
            (401, Self.fcm("UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"), .misconfigured), (413, "", .refused),
            (302, "", .refused),
        ]
        for (status, body, expected) in table {
            let outcome = await outcome(status, body, of: try PushFixture.fcm())
            #expect(Expected(outcome) == expected, "\(status) \(body): \(outcome)")
        }
        let quota = await outcome(429, Self.fcm("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), of: try PushFixture.fcm())
        #expect(quota == .retry(after: .seconds(60), reason: "429 QUOTA_EXCEEDED"))
    }

    @Test(
        "of an authorization server",
        arguments: [
            (400, #"{"error":"invalid_grant"}"#, PushOutcome.misconfigured(reason: "400 token: invalid_grant")),
            (401, #"{"error":"invalid_client"}"#, .misconfigured(reason: "401 token: invalid_client")),
            (503, "", .retry(after: nil, reason: "503 token: without a code")),
            (200, "{}", .retry(after: nil, reason: "the authorization server sent no token")),
            (
                200, #"{"access_token":"a\r\nb: c","expires_in":3600}"#,
                .retry(after: nil, reason: "the authorization server sent no token")
            ),
        ])
    func ofAuthorization(status: Int, body: String, expected: PushOutcome) async throws {
        let requests = FixedRequests(.success(PushAnswer(status: status, body: Array(body.utf8))))
        let fixture = try PushFixture(requests: requests)
        let target = try PushFixture.fcm()
        #expect(await fixture.senders.send(.message(), to: target) == expected)
    }

    @Test("of push services of browsers")
    func ofWeb() async throws {
        let target = try fixture.web()
        for (status, expected) in [
            (200, .delivered), (201, .delivered), (202, .delivered), (301, .refused), (400, .refused), (401, .refused),
            (403, .refused), (404, .gone), (408, .retry), (410, .gone), (413, .refused), (429, .retry), (500, .retry),
            (502, .retry), (503, .retry),
        ] as [(Int, Expected)] {
            let outcome = await outcome(status, "anything", of: target)
            #expect(Expected(outcome) == expected, "\(status): \(outcome)")
        }
    }

    @Test(
        "name the time that a service asks for, at most a day",
        arguments: [
            ("0", 0), ("120", 120), ("86400", 86_400), ("86401", 86_400), ("999999999", 86_400), ("9999999999", nil),
            ("", nil), ("-1", nil), ("1.5", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil), (nil, nil),
        ] as [(String?, Int64?)])
    func retryAfter(header: String?, seconds: Int64?) async throws {
        let target = try fixture.web()
        for status in [429, 503] {
            let outcome = await outcome(status, retryAfter: header, of: target)
            let after = seconds.map { Duration.seconds($0) }
            #expect(outcome == .retry(after: after, reason: "\(status) by the push service"))
        }
    }

    @Test("of services without a response")
    func without() async throws {
        let requests = FixedRequests(.failure(PushRequestError("connection refused")))
        let fixture = try PushFixture(requests: requests)
        for target in try fixture.targets() {
            #expect(
                await fixture.senders.send(.message(), to: target) == .retry(after: nil, reason: "connection refused"))
        }
    }

    @Test(
        "show no text of a service that is not a code",
        arguments: ["a b", "<script>", String(repeating: "x", count: 65), "line\nline"])
    func codes(reason: String) async throws {
        let body = #"{"reason":"\#(reason.replacing("\n", with: "\\n"))"}"#
        guard case .refused(let shown) = await outcome(400, body, of: try PushFixture.apns()) else {
            Issue.record("not refused")
            return
        }
        #expect(shown == "400 without a code" || shown == "400 " + String(repeating: "x", count: 64))
    }
}
