import Crypto
import CryptoExtras
import Foundation
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel
import ParleyTestSupport
import Synchronization

/// Apple's, Google's and a browser's push service as one value: it verifies what it gets, decrypts it, and counts.
final class PushServices: PushRequests {
    /// A push that a service has accepted.
    struct Push: Sendable {
        let path: String
        let headers: [String: String]
        /// The body; of a browser's service, decrypted.
        let content: JSONTree
        /// The size of the body as it was sent.
        let size: Int
    }

    private struct State {
        var pushes: [Push] = []
        var problems: [String] = []
        var planned: [PushAnswer] = []
        var requests = 0
        /// Tokens of APNs and Web Push, each once.
        var tokens: Set<String> = []
        var assertions = 0
        var accessToken = "access-0"
        var receivers: [String: WebPushReceiver] = [:]
        var strangers: [PushRequest.Stranger] = []
    }

    /// The time of the services.
    let clock: WallClock
    private let state = Mutex(State())

    init(clock: WallClock) {
        self.clock = clock
    }

    var pushes: [Push] { state.withLock(\.pushes) }
    var problems: [String] { state.withLock(\.problems) }
    var requests: Int { state.withLock(\.requests) }
    var tokens: Set<String> { state.withLock(\.tokens) }
    var assertions: Int { state.withLock(\.assertions) }
    var strangers: [PushRequest.Stranger] { state.withLock(\.strangers) }

    /// Answers the next pushes with these, whatever they contain.
    func plan(_ answers: PushAnswer...) {
        state.withLock { $0.planned += answers }
    }

    /// Ends the validity of the access token.
    func revokeAccess() {
        state.withLock { $0.accessToken = "access-revoked" }
    }

    /// A subscription at `origin`, whose pushes are decrypted.
    func subscribe(at origin: String = "https://push.example") throws -> WebPushSubscription {
        let receiver = WebPushReceiver()
        let path = state.withLock { state in
            let path = "/web/\(state.receivers.count)"
            state.receivers[path] = receiver
            return path
        }
        return try receiver.subscription(at: origin + path)
    }

    func answer(to request: PushRequest) async throws(PushRequestError) -> PushAnswer {
        guard let url = URL(string: request.url) else { throw PushRequestError("not a URL") }
        if let stranger = request.stranger { state.withLock { $0.strangers.append(stranger) } }
        let origin = "\(url.scheme ?? "")://\(url.host ?? "")"
        let headers = Dictionary(request.headers.map { ($0.name, $0.value) }) { first, _ in first }
        return answer(path: url.path(), origin: origin, headers: headers, body: request.body)
    }

    /// - Parameter headers: With names in lower case.
    func answer(path: String, origin: String, headers: [String: String], body: [UInt8]) -> PushAnswer {
        state.withLock { $0.requests += 1 }
        do {
            if path == "/token" { return try access(body) }
            if let planned = state.withLock({ $0.planned.isEmpty ? nil : $0.planned.removeFirst() }) { return planned }
            let content =
                switch path.split(separator: "/").first {
                case "3": try apns(headers, body)
                case "v1": try fcm(headers, body)
                default: try web(path, origin, headers, body)
                }
            let push = Push(path: path, headers: headers, content: content, size: body.count)
            state.withLock { $0.pushes.append(push) }
            return PushAnswer(status: path.hasPrefix("/web/") ? 201 : 200)
        } catch {
            state.withLock { $0.problems.append("\(path): \(error)") }
            return PushAnswer(status: 400)
        }
    }

    // MARK: Services

    private struct Refused: Error {
        let reason: String
    }

    private func require(_ condition: Bool, _ reason: String) throws {
        guard condition else { throw Refused(reason: reason) }
    }

    private func apns(_ headers: [String: String], _ body: [UInt8]) throws -> JSONTree {
        let authorization = headers["authorization"] ?? ""
        try require(authorization.hasPrefix("bearer "), "no token")
        let text = String(authorization.dropFirst("bearer ".count))
        let token = try SignedToken(text)
        try token.verify(by: PushKeys.apns.publicKey)
        try require(token.header["kid"]?.text == PushKeys.keyID, "kid")
        try require(token.claims["iss"]?.text == PushKeys.teamID, "iss")
        let age = clock.seconds - (token.claims["iat"]?.integer ?? 0)
        try require((0..<3_600).contains(age), "age \(age)")
        try require(headers["apns-push-type"] == "alert", "apns-push-type")
        try require((1...64).contains(headers["apns-collapse-id"]?.utf8.count ?? 0), "apns-collapse-id")
        try require(body.count <= 4_096, "size \(body.count)")
        state.withLock { _ = $0.tokens.insert(text) }
        return try JSONTree(parsing: body)
    }

    private func access(_ body: [UInt8]) throws -> PushAnswer {
        let form = String(decoding: body, as: UTF8.self).removingPercentEncoding ?? ""
        let prefix = "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion="
        try require(form.hasPrefix(prefix), "form")
        let token = try SignedToken(String(form.dropFirst(prefix.count)))
        try require(PushKeys.fcm != nil, "key")
        if let key = PushKeys.fcm { try token.verify(by: key.publicKey) }
        try require(token.header["kid"]?.text == "key-1", "kid")
        try require(token.claims["iss"]?.text == PushKeys.email, "iss")
        try require(token.claims["aud"]?.text == PushKeys.tokenURL, "aud")
        try require(token.claims["scope"]?.text == "https://www.googleapis.com/auth/firebase.messaging", "scope")
        let made = token.claims["iat"]?.integer ?? 0
        try require(made == clock.seconds && token.claims["exp"]?.integer == made + 3_600, "times")
        let access = state.withLock { state in
            state.assertions += 1
            state.accessToken = "access-\(state.assertions)"
            return state.accessToken
        }
        let json = #"{"access_token":"\#(access)","expires_in":3600,"token_type":"Bearer"}"#
        return PushAnswer(status: 200, body: Array(json.utf8))
    }

    private func fcm(_ headers: [String: String], _ body: [UInt8]) throws -> JSONTree {
        let access = state.withLock(\.accessToken)
        try require(headers["authorization"] == "Bearer \(access)", "access token")
        guard let message = try JSONTree(parsing: body)["message"] else { throw Refused(reason: "message") }
        guard let token = message["token"]?.text else { throw Refused(reason: "token") }
        try require(body.count - token.utf8.count <= 4_096, "size \(body.count)")
        return message
    }

    private func web(
        _ path: String, _ origin: String, _ headers: [String: String], _ body: [UInt8]
    ) throws -> JSONTree {
        guard let receiver = state.withLock({ $0.receivers[path] }) else { throw Refused(reason: "path") }
        let parts = (headers["authorization"] ?? "").split(separator: " ")
        try require(parts.count == 3 && parts[0] == "vapid" && parts[1].hasPrefix("t="), "authorization")
        try require(
            parts[2] == "k=\(Base64URL.encode(PushKeys.vapid.publicKey.x963Representation))", "applicationServerKey")
        let text = String(parts[1].dropFirst(2).dropLast())
        let token = try SignedToken(text)
        try token.verify(by: PushKeys.vapid.publicKey)
        try require(token.claims["aud"]?.text == origin, "aud \(token.claims["aud"]?.text ?? "") at \(origin)")
        try require(token.claims["sub"]?.text == "mailto:operator@example.com", "sub")
        let left = (token.claims["exp"]?.integer ?? 0) - clock.seconds
        try require((1...86_400).contains(left), "exp \(left)")
        try require(headers["content-encoding"] == "aes128gcm", "content-encoding")
        try require(Int(headers["ttl"] ?? "") != nil, "ttl")
        try require(["low", "normal", "high"].contains(headers["urgency"] ?? ""), "urgency")
        try require((1...32).contains(headers["topic"]?.utf8.count ?? 0), "topic")
        try require(body.count <= 4_096, "size \(body.count)")
        state.withLock { _ = $0.tokens.insert(text) }
        return try JSONTree(parsing: receiver.decrypt(body))
    }
}
