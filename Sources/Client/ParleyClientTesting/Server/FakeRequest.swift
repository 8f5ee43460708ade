import ParleyClient
import ParleyJSON

/// The request of a user to be let into a thread of a ``FakeChatServer``, which may not exist.
struct FakeRequest: Sendable {
    /// The time that a request lasts, in milliseconds.
    static let lasts: Int64 = 30 * 86_400_000
    /// The maximum number of requests of a user.
    static let maximumRequests = 20

    let text: String?
    let since: Int64
    var until: Int64 { since + Self.lasts }
    /// Whether moderators have refused it. It stays in the user's list.
    var isRefused = false
    /// Whether the user has withdrawn it after the refusal. Asking again does not show it to moderators.
    var isWithdrawn = false

    var fields: [JSONTree.Member] {
        let tree = JSONTree.object(["text": text.map { .text($0) }, "since_ms": .integer(since)])
        return tree.pairs
    }
}

/// Requests.
extension FakeServerState {
    private func request(of user: String, to thread: String) -> FakeRequest? {
        requests[user]?[thread].flatMap { milliseconds < $0.until ? $0 : nil }
    }

    mutating func addRequest(of user: String, to thread: String, text: String?) {
        let wasRefused = request(of: user, to: thread)?.isRefused ?? false
        requests[user, default: [:]][thread] = FakeRequest(text: text, since: milliseconds, isRefused: wasRefused)
        if !wasRefused { pushEntrances(of: thread) }
    }

    // MARK: Users who ask

    /// Asks for an entrance, whether or not there is such a thread.
    mutating func ask(_ call: FakeCall, _ user: String) -> TransportResponse {
        let (thread, text) = (call.path[2], call.body["text"]?.text)
        if let refusal = Self.refusal(ofText: text) { return refusal }
        if let room = rooms[thread], room.members[user] != nil || room.visibility == .public {
            return Self.refusal(409, .conflict)
        }
        let known = request(of: user, to: thread)
        if let known, !known.isWithdrawn { return Self.answer(200, described(known, to: thread)) }
        let count = requests[user]?.values.count { milliseconds < $0.until && !$0.isWithdrawn } ?? 0
        guard count < FakeRequest.maximumRequests else { return Self.refusal(409, .conflict) }
        addRequest(of: user, to: thread, text: text)
        return Self.answer(201, request(of: user, to: thread).map { described($0, to: thread) })
    }

    private func described(_ request: FakeRequest, to thread: String) -> JSONTree {
        let end = JSONTree.Member("until_ms", .integer(request.until))
        return .object([JSONTree.Member("thread_id", .text(thread))] + request.fields + [end])
    }

    mutating func answerOwnRequests(_ call: FakeCall, _ user: String) -> TransportResponse {
        let all = (requests[user] ?? [:]).filter { milliseconds < $0.value.until && !$0.value.isWithdrawn }
        guard call.path.count > 3 else {
            let list = all.sorted { $0.key < $1.key }.map { described($0.value, to: $0.key) }
            return Self.answer(200, .object(["requests": .array(list)]))
        }
        let thread = call.path[3]
        guard call.method == "DELETE", let known = all[thread] else { return Self.missing }
        if known.isRefused {
            requests[user]?[thread]?.isWithdrawn = true
        } else {
            requests[user]?[thread] = nil
            pushEntrances(of: thread)
        }
        return Self.answer(204)
    }

    // MARK: Moderators

    /// Returns the users whose requests moderators see.
    private func asking(_ room: FakeRoom) -> [String] {
        requests.keys.sorted().filter { user in
            guard let request = request(of: user, to: room.id) else { return false }
            return !request.isRefused && sanction(.ban, of: user, in: room) == nil
        }
    }

    mutating func answerRequests(_ call: FakeCall, _ user: String, _ room: FakeRoom) -> TransportResponse {
        if let refusal = refusalToModerate(room, user) { return refusal }
        let asking = asking(room)
        guard call.path.count > 4 else {
            let list = asking.compactMap { other -> JSONTree? in
                guard let request = request(of: other, to: room.id) else { return nil }
                let thread = JSONTree.Member("thread_id", .text(room.id))
                return .object([thread, JSONTree.Member("user", self.user(other).json)] + request.fields)
            }
            return Self.answer(200, .object(["requests": .array(list), "next_cursor": .null]))
        }
        guard let other = find(call.path[4])?.id.rawValue, asking.contains(other) else { return Self.missing }
        if call.method == "POST" {
            join(other, room.id, role: .member, by: user)
            return Self.answer(
                201,
                .object([
                    "thread_id": .text(room.id), "user": self.user(other).json, "role": .text("member"),
                ]))
        }
        requests[other]?[room.id]?.isRefused = true
        pushEntrances(of: room.id)
        return Self.answer(204)
    }
}
