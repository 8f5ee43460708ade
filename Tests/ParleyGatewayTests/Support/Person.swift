import ParleyModel
import ParleyTestSupport

/// Somebody with a session.
struct Person: Sendable {
    let user: User
    let token: String
    let tokenHash: TokenHash

    var cookie: HTTPClient.Headers { [("Cookie", "sessionid=\(token)")] }
    var id: String { user.id.text }
    var name: String { user.name }
}
