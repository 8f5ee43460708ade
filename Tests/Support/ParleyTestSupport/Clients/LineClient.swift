/// A client of the line listener, similar to `nc`: sends bytes as given, receives lines.
///
/// One task reads at a time; any task may send.
package final class LineClient: Sendable {
    private let connection: RawConnection
    private let lines: Mailbox<String>
    private let reader: Task<Void, Never>

    private init(_ connection: RawConnection) {
        let lines = Mailbox<String>(of: "line")
        self.connection = connection
        self.lines = lines
        reader = Task {
            var rest: [UInt8] = []
            while let chunk = try? await connection.read(within: .seconds(600)) {
                rest += chunk
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.put(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            lines.finish()
        }
    }

    deinit {
        reader.cancel()
    }

    package static func connect(port: Int) async throws -> LineClient {
        LineClient(try await RawConnection.connect(port: port))
    }

    /// Sends `line` and a line feed.
    package func send(line: String) async throws {
        try await connection.send(line + "\n")
    }

    /// Sends `bytes` as they are.
    package func send(raw bytes: [UInt8]) async throws {
        try await connection.send(bytes)
    }

    /// The next line without its line feed; `nil` when the server has closed.
    package func next(within limit: Duration = .patience) async throws -> String? {
        try await lines.take(within: limit)
    }

    package func close() async {
        await connection.close()
    }
}
