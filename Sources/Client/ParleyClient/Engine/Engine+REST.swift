import Foundation
import ParleyJSON

/// Requests to the REST API.
extension Engine {
    /// Calls the server as the user, and repeats the call with new credentials if the current ones are refused.
    /// - Returns: The body of the response, `null` if it is empty.
    /// - Throws: ``ChatError``.
    func call(
        _ method: String, _ path: [String], query: [(String, String)] = [], body: JSONTree? = nil
    ) async throws -> JSONTree {
        let type = [(name: "Content-Type", value: "application/json")]
        let response = try await request(
            method, path, query: query, headers: body == nil ? [] : type, body: body?.json ?? [])
        return try Self.content(of: response)
    }

    /// Sends a request as the user, and repeats it with new credentials if the current ones are refused.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``ChatError``.
    func request(
        _ method: String, _ path: [String], query: [(String, String)] = [],
        headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) async throws -> TransportResponse {
        let url = server.call(path, query)
        let response = try await send(method, url, headers, body, fresh: false)
        return response.status == 401 ? try await send(method, url, headers, body, fresh: true) : response
    }

    private func send(
        _ method: String, _ url: String, _ headers: [(name: String, value: String)], _ body: [UInt8], fresh: Bool
    ) async throws -> TransportResponse {
        if fresh || lastCredentials == nil {
            do {
                lastCredentials = try await configuration.credentials(fresh ? .expired : .connection)
            } catch {
                throw ChatError.offline
            }
        }
        guard let credentials = lastCredentials else { throw ChatError.unauthorized }
        let request = TransportRequest(method: method, url: url, headers: credentials.headers + headers, body: body)
        do {
            return try await transport.send(request)
        } catch {
            throw Task.isCancelled ? CancellationError() : ChatError.offline
        }
    }

    /// Returns the body of a response.
    /// - Throws: The server's error.
    static func content(of response: TransportResponse) throws -> JSONTree {
        let tree = response.body.isEmpty ? .null : try? JSONTree(parsing: response.body)
        if (200..<300).contains(response.status) {
            guard let tree else { throw ChatError.noAnswer("the answer is not JSON") }
            return tree
        }
        if response.status == 401 { throw ChatError.unauthorized }
        guard let error = tree.flatMap({ RESTError($0) }) else {
            throw ChatError.noAnswer("status \(response.status)")
        }
        throw ChatError.refused(code: error.code, message: error.message)
    }

    /// Requests a page of the user's threads.
    func threadPage(after cursor: String?) async throws -> (threads: [ServerFrame.ThreadFields], cursor: String?) {
        let tree = try await call("GET", ["v1", "threads"], query: cursor.map { [("cursor", $0)] } ?? [])
        let threads = (tree["threads"]?.elements ?? []).compactMap { ServerFrame.ThreadFields($0) }
        return (threads, tree["next_cursor"]?.text)
    }

    /// Joins or opens a thread. The list of threads contains it when this method returns.
    func enter(_ path: [String], _ body: JSONTree?) async throws -> String {
        let tree = try await call("POST", path, body: body)
        guard let fields = ServerFrame.ThreadFields(tree) else { throw ChatError.noAnswer("no thread") }
        note(.listed([fields]))
        return fields.id
    }

    /// Loads the description of a thread, for example the name of a group whose members have changed. If it is being
    /// loaded already, it is loaded once more afterwards. A failure is not repeated: the next change, or the next
    /// connection, loads it.
    func reload(_ thread: String) {
        guard reloads.updateValue(true, forKey: thread) == nil else { return }
        Task {
            while reloads[thread] == true {
                reloads[thread] = false
                guard let tree = try? await call("GET", ["v1", "threads", thread]),
                    let fields = ServerFrame.ThreadFields(tree), core.threads[thread] != nil
                else { break }
                note(.listed([fields]))
            }
            reloads[thread] = nil
        }
    }

    /// Returns a message of the REST API as it is shown.
    func shown(_ tree: JSONTree) -> ChatMessage? {
        StoredMessage(tree).map { ChatMessage($0, account: core.accountID) }
    }

    /// Requests the members of a thread, page by page.
    func members(of thread: String) async throws -> [ChatMember] {
        var members: [ChatMember] = []
        var cursor: String?
        repeat {
            let tree = try await call(
                "GET", ["v1", "threads", thread, "members"],
                query: [("limit", "200")] + (cursor.map { [("cursor", $0)] } ?? []))
            members += (tree["members"]?.elements ?? []).compactMap { ChatMember($0) }
            cursor = tree["next_cursor"]?.text
        } while cursor != nil
        return members
    }
}

/// The content of an error response.
struct RESTError {
    let code: ServerErrorCode
    let message: String

    /// - Returns: `nil` if the body contains no error.
    init?(_ body: JSONTree) {
        guard let error = body["error"], let code = error["code"]?.text else { return nil }
        self.code = ServerErrorCode(rawValue: code) ?? .other
        message = error["message"]?.text ?? ""
    }
}
