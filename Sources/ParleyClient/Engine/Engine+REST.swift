import Foundation
import ParleyJSON

/// Calls of the REST API.
extension Engine {
    /// Calls the server as the user; with fresh credentials if those at hand are refused.
    /// - Returns: the body, `null` if it is empty.
    /// - Throws: ``ChatError``.
    func call(
        _ method: String, _ path: [String], query: [(String, String)] = [], body: JSONTree? = nil
    ) async throws -> JSONTree {
        let url = server.call(path, query)
        var response = try await send(method, url, body, fresh: false)
        if response.status == 401 { response = try await send(method, url, body, fresh: true) }
        return try Self.content(of: response)
    }

    private func send(
        _ method: String, _ url: String, _ body: JSONTree?, fresh: Bool
    ) async throws -> TransportResponse {
        if fresh || lastCredentials == nil {
            do {
                lastCredentials = try await configuration.credentials(fresh ? .expired : .connection)
            } catch {
                throw ChatError.offline
            }
        }
        guard let credentials = lastCredentials else { throw ChatError.unauthorized }
        var headers = credentials.headers
        if body != nil { headers.append(("Content-Type", "application/json")) }
        let request = TransportRequest(method: method, url: url, headers: headers, body: body?.json ?? [])
        do {
            return try await transport.send(request)
        } catch {
            throw ChatError.offline
        }
    }

    /// The body of an answer.
    /// - Throws: the server's error.
    static func content(of response: TransportResponse) throws -> JSONTree {
        let tree = response.body.isEmpty ? .null : try? JSONTree(parsing: response.body)
        if (200..<300).contains(response.status) {
            guard let tree else { throw ChatError.noAnswer("the answer is not JSON") }
            return tree
        }
        if response.status == 401 { throw ChatError.unauthorized }
        let error = tree?["error"]
        guard let code = error?["code"]?.text else { throw ChatError.noAnswer("status \(response.status)") }
        throw ChatError.refused(
            code: ServerErrorCode(rawValue: code) ?? .other, message: error?["message"]?.text ?? "")
    }

    /// A page of the user's threads.
    func threadPage(after cursor: String?) async throws -> (threads: [ServerFrame.ThreadFields], cursor: String?) {
        let tree = try await call("GET", ["v1", "threads"], query: cursor.map { [("cursor", $0)] } ?? [])
        let threads = (tree["threads"]?.elements ?? []).compactMap { ServerFrame.ThreadFields($0) }
        return (threads, tree["next_cursor"]?.text)
    }

    /// Joins or opens a thread, which is in the list when this returns.
    func enter(_ path: [String], _ body: JSONTree) async throws -> String {
        let tree = try await call("POST", path, body: body)
        guard let fields = ServerFrame.ThreadFields(tree) else { throw ChatError.noAnswer("no thread") }
        note(.listed([fields]))
        return fields.id
    }

    /// A message of REST as it is shown.
    func shown(_ tree: JSONTree) -> ChatMessage? {
        StoredMessage(tree).map { ChatMessage($0, account: core.account?.id) }
    }

    /// Who has joined and not left, with the roles that the log tells. Reads the whole log.
    func members(of thread: String) async throws -> [ChatMember] {
        var members: [String: ChatMember] = [:]
        var order: [String] = []
        var after = 0
        while true {
            let tree = try await call(
                "GET", ["v1", "threads", thread, "events"], query: [("after_seq", "\(after)"), ("limit", "1000")])
            let events = (tree["events"]?.elements ?? []).compactMap { LogEvent($0) }
            for event in events {
                switch event.content {
                case .joined(let user):
                    if members[user.id] == nil { order.append(user.id) }
                    members[user.id] = ChatMember(user: user, role: members[user.id]?.role)
                case .left(let user):
                    members[user.id] = nil
                    order.removeAll { $0 == user.id }
                case .role(let user, let role): members[user]?.role = role
                default: break
                }
            }
            guard tree["has_more"]?.flag == true, let last = events.last?.seq else { break }
            after = last
        }
        if let account = core.account, let role = core.threads[thread]?.role { members[account.id]?.role = role }
        return order.compactMap { members[$0] }
    }
}
