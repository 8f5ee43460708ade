import ArgumentParser
import Foundation
import ParleyBots
import ParleyJSON
import ParleyModel

/// `parley admin trace`
struct Trace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the times at which a message passed each step from its sender to the database and the sockets.",
        discussion: """
            One message in PARLEY_OPS_TRACE_EVERY is traced, and its ID ends in 7ace. Traces are kept for an hour. With \
            --send, the command sends a traced message over REST, and shows its trace once it is stored. The API key is \
            read from PARLEY_API_KEY. docs/operations/monitoring.md explains the table.
            """)

    @Argument(help: "ID of a message.")
    var message: String?

    @Option(help: "Send this text and trace it. Requires --thread and --as.")
    var send: String?

    @Option(help: "ID of the thread to send to.")
    var thread: String?

    @Option(name: .customLong("as"), help: "ID of the sender, a member of the thread.")
    var user: String?

    @Option(help: "URL of a server with REST: a persister or serve. Load balancers usually block the admin API.")
    var url = "http://127.0.0.1:8080"

    @Flag(help: "Print the JSON response of GET /v1/admin/messages/{id}/trace.")
    var json = false

    @Flag(help: "Do not verify TLS certificates.")
    var insecure = false

    /// Maximum time until the message is stored.
    private static let timeout = Duration.seconds(15)

    func validate() throws {
        guard (message == nil) != (send == nil) else {
            throw ValidationError("expected either the id of a message or --send")
        }
        guard send == nil || thread != nil && user != nil else {
            throw ValidationError("--send requires --thread and --as")
        }
        if let message, MessageID(message) == nil { throw ValidationError("\(message) is not a message id") }
        if let thread, ThreadID(thread) == nil { throw ValidationError("\(thread) is not a thread id") }
    }

    func run() async throws {
        guard let key = ProcessInfo.processInfo.environment["PARLEY_API_KEY"], !key.isEmpty else {
            throw ValidationError("PARLEY_API_KEY is not set; `parley admin create-key` creates a key")
        }
        let client: AdminClient
        do {
            client = try AdminClient(url: url, apiKey: key, isLenient: insecure)
        } catch {
            throw ValidationError("\(error)")
        }
        let reply: AdminClient.Reply
        do {
            reply =
                if let send, let thread, let user {
                    try await follow(try await self.send(send, to: thread, as: user, client), client)
                } else {
                    try await client.get(path(of: message ?? ""))
                }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(description: "\(url): \(error)")
        }
        guard reply.status == 200, let table = reply.body.flatMap(TraceTable.init) else {
            throw failure(reply)
        }
        print(json ? reply.text : table.text)
    }

    /// An error, as shown on the command line.
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private func failure(_ reply: AdminClient.Reply) -> Failure {
        Failure(description: reply.body?["error"]?["message"]?.text ?? "\(url) answered with status \(reply.status)")
    }

    private func path(of message: String) -> String { "/v1/admin/messages/\(message)/trace" }

    /// - Returns: the id of the message.
    private func send(
        _ text: String, to thread: String, as user: String, _ client: AdminClient
    ) async throws -> String {
        let reply = try await client.post(
            "/v1/threads/\(thread)/messages", as: user, headers: [("X-Parley-Trace", "1")],
            json: JSONTree.object(["text": .text(text)]).canonical)
        guard reply.status == 201, let id = reply.body?["id"]?.text else {
            throw failure(reply)
        }
        return id
    }

    /// Polls until the message is stored and a further poll finds nothing new.
    private func follow(_ message: String, _ client: AdminClient) async throws -> AdminClient.Reply {
        let deadline = ContinuousClock.now + Self.timeout
        var last: AdminClient.Reply
        var steps = 0
        repeat {
            try await Task.sleep(for: .milliseconds(150))
            last = try await client.get(path(of: message))
            let table = last.body.flatMap(TraceTable.init)
            if let table, table.isStored, table.steps.count == steps { break }
            steps = table?.steps.count ?? 0
        } while ContinuousClock.now < deadline
        return last
    }
}
