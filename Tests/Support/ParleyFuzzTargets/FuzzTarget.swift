/// A decoder of bytes from outside, or a value that takes what was decoded. It may refuse its input, never trap, and gives
/// the same result for any portions.
///
/// `Fuzz` runs them under libFuzzer; `FuzzCorpusTests` repeats the inputs that are kept in Fuzz/corpus.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// JSON, read as a tree and skipped.
    case json
    /// Frames of v1 clients.
    case v1
    /// Frames of v1 servers, as clients read them.
    case v1Client = "v1-client"
    /// Frames of classic and direct clients.
    case dialects
    /// The bytes of a line client.
    case lines
    /// The bytes of a WebSocket client, with permessage-deflate.
    case webSocket = "websocket"
    /// The bytes of a WebSocket server, as bots read them.
    case webSocketServer = "websocket-server"
    /// A compressed message.
    case inflate
    /// Offers of WebSocket extensions.
    case offers
    /// The bytes of an HTTP connection.
    case requests
    /// Header fields: credentials, cookies, origins and addresses.
    case headers
    /// Queries, forms, dates, ranges, and the lines of an import.
    case forms
    /// Tickets, stored passwords and cursors of events.
    case tokens
    /// Claims of JWTs.
    case claims
    /// The data of Django's sessions.
    case django
    /// Replies of Redis, and what a log reads from them.
    case resp
    /// Payloads of Django and of other nodes, in both formats.
    case channels
    /// Members of Django's queues, encrypted or not.
    case queues
    /// The beginning of an uploaded file.
    case media
    /// A hub that gets events with numbers at their limits, in any order.
    case hub
    /// A v1 session that gets any commands.
    case session

    /// An expectation that an input violates.
    package struct Finding: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Throws: `Finding`.
    package func run(_ bytes: [UInt8]) throws {
        switch self {
        case .json, .v1, .v1Client, .dialects, .lines, .webSocket, .webSocketServer, .inflate, .offers:
            try runFrames(bytes)
        case .requests: try requests(bytes)
        case .headers: try headers(bytes)
        case .forms: try forms(bytes)
        case .tokens: try tokens(bytes)
        case .claims: claims(bytes)
        case .django: django(bytes)
        case .resp: try resp(bytes)
        case .channels: try channels(bytes)
        case .queues: try queues(bytes)
        case .media: try media(bytes)
        case .hub: try hub(bytes)
        case .session: try session(bytes)
        }
    }

    func expect(_ isMet: Bool, _ finding: String) throws {
        if !isMet { throw Finding(description: finding) }
    }

    /// The bytes whole, and cut at the place that the first of them says.
    func portions(_ bytes: [UInt8]) -> (whole: [[UInt8]], cut: [[UInt8]]) {
        let rest = Array(bytes.dropFirst())
        let place = min(Int(bytes.first ?? 0), rest.count)
        return ([rest], [Array(rest[..<place])] + rest[place...].map { [$0] })
    }
}
