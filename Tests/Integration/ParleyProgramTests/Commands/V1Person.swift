import ParleyTestServers
import ParleyTestSupport

/// Somebody with a v1 socket at a gateway of a cluster.
final class V1Person: Sendable {
    let user: TestUser
    let socket: TestSocket

    private init(user: TestUser, socket: TestSocket) {
        self.user = user
        self.socket = socket
    }

    static func open(_ user: TestUser, _ cluster: ProgramCluster, at gateway: Int) async throws -> V1Person {
        let socket = try await TestSocket.connect(
            port: cluster.gateways[gateway].port, headers: user.cookieHeader, subprotocols: ["parley.v1"])
        let person = V1Person(user: user, socket: socket)
        _ = try await person.next { $0["type"]?.string == "hello" }
        return person
    }

    /// Sends commands in one write to the socket.
    func send(_ commands: [JSONValue]) async throws {
        try await socket.send(raw: commands.flatMap { SocketFrame(.text, Array($0.text.utf8)).bytes() })
    }

    /// The next frame that is wanted.
    func next(
        within limit: Duration = .patience, where isWanted: @Sendable (JSONValue) -> Bool
    ) async throws -> JSONValue {
        try await socket.nextJSON(within: limit, where: isWanted)
    }

    /// Sends a command, and waits for its answer.
    func ask(_ command: JSONValue, ref: Int) async throws -> JSONValue {
        guard case .object(var members) = command else { return .null }
        members["ref"] = .int(ref)
        try await send([.object(members)])
        return try await next { $0["ref"]?.int == ref }
    }
}
