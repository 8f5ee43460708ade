import ParleyTestServers
import ParleyTestSupport

/// A user who writes by REST, and changes what was written. Every call is repeated until it is answered.
struct EventEditor {
    static let thread = "edited"
    private static let user = "editor"
    private let cluster: Cluster
    private var number = 0

    /// Makes the user and the thread.
    static func make(on cluster: Cluster) async throws -> EventEditor {
        try await StateModel.run(
            [
                ["user": ["id": .string(user), "username": .string(user)]],
                ["thread": ["id": .string(thread), "title": "Edited"]],
                ["member": ["thread": .string(thread), "user": .string(user)]],
            ], on: cluster.rest())
        return EventEditor(cluster: cluster)
    }

    private init(cluster: Cluster) {
        self.cluster = cluster
    }

    /// Writes a message, and edits it, reacts to it or deletes it.
    mutating func write() async throws {
        number += 1
        let messages = "/v1/threads/\(Self.thread)/messages"
        let sent = try await insist(
            "POST", messages, ["text": .string("text \(number)")], [("Idempotency-Key", "editor-\(number)")])
        guard let id = try sent.json()["id"]?.string else { throw TestUser.Unexpected(call: "a send", reply: sent) }
        switch number % 3 {
        case 0: _ = try await insist("PATCH", "\(messages)/\(id)", ["text": .string("edited \(number)")])
        case 1: _ = try await insist("PUT", "\(messages)/\(id)/reactions/%F0%9F%91%8D")
        default: _ = try await insist("DELETE", "\(messages)/\(id)")
        }
    }

    private func insist(
        _ method: String, _ path: String, _ json: JSONValue? = nil, _ headers: HTTPClient.Headers = []
    ) async throws -> HTTPReply {
        var attempt = 0
        var answer: HTTPReply?
        let type: HTTPClient.Headers = json == nil ? [] : [("Content-Type", "application/json")]
        let isAnswered = try await eventually(within: .seconds(60), every: .milliseconds(200)) {
            attempt += 1
            let rest = cluster.rest(as: "id:\(Self.user)", persister: attempt % cluster.persisters.count)
            let body = json.map { Array($0.text.utf8) } ?? []
            answer = try? await rest.send(method, path, headers: type + headers, body: body, within: .seconds(10))
            guard let answer, answer.status < 500 else { return false }
            // A deletion whose answer was lost has been done.
            guard answer.status < 300 || attempt > 1 && method == "DELETE" else {
                throw TestUser.Unexpected(call: "\(method) \(path)", reply: answer)
            }
            return true
        }
        guard isAnswered, let answer else { throw TimedOut("answer to \(method) \(path)", after: .seconds(60)) }
        return answer
    }
}
