import ParleyModel
import ParleyWire

/// The state of one connection, for operators.
struct ConnectionStatus {
    let connection: ConnectionID
    let dialect: Dialect
    let credential: String
    let address: String
    /// Seconds since the client last sent anything.
    let silentSeconds: Int64
    let waitingBytes: Int
    /// The events that were left out, by thread.
    var behind: [ThreadID: ClosedRange<Int64>] = [:]

    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - progress: the newest delivered event of each requested thread that the user is in.
    func report(of user: User, at now: Int64, _ progress: [(thread: ThreadID, position: Position?)]) -> SocketReport {
        SocketReport(
            connection: connection.text, user: user, dialect: "\(dialect)", credential: credential,
            address: address, connected: connection.milliseconds ?? 0,
            lastSeen: now - silentSeconds * 1000, waitingBytes: waitingBytes,
            places: progress.map { .init(thread: $0.thread, position: $0.position, behind: behind[$0.thread]) })
    }
}

/// The open connections of one event loop, for draining and for operators.
struct ConnectionTable {
    private(set) var sockets: [WebSocketConnection] = []
    private var lines: [ConnectionID: LineHandler] = [:]

    mutating func add(_ socket: WebSocketConnection) {
        socket.tableIndex = Int32(sockets.count)
        sockets.append(socket)
    }

    mutating func remove(_ socket: WebSocketConnection) {
        let last = sockets.removeLast()
        guard last !== socket else { return }
        sockets[Int(socket.tableIndex)] = last
        last.tableIndex = socket.tableIndex
    }

    mutating func add(_ line: LineHandler) { lines[line.connection] = line }

    mutating func remove(_ line: LineHandler) { lines[line.connection] = nil }

    /// The state of connections, by a scan over all of them: costs sockets nothing while it is not requested.
    func statuses(of connections: Set<ConnectionID>) -> [ConnectionID: ConnectionStatus] {
        var statuses: [ConnectionID: ConnectionStatus] = [:]
        for socket in sockets where connections.contains(socket.connection) {
            statuses[socket.connection] = socket.status
        }
        for connection in connections {
            if let line = lines[connection] { statuses[connection] = line.status }
        }
        return statuses
    }
}
