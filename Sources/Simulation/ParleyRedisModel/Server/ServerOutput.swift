package import NIOCore

/// A connection of a client; ids are not used again.
package struct ServerConnectionID: Hashable, Comparable, Sendable {
    package let number: Int

    package static func < (left: ServerConnectionID, right: ServerConnectionID) -> Bool { left.number < right.number }
}

/// An action of a server on a connection.
package enum ServerOutput: Hashable, Sendable {
    case send(ByteBuffer, to: ServerConnectionID)
    /// Closes the connection, after what was sent before.
    case close(ServerConnectionID)
}

/// The outputs of one step, one for each connection that gets bytes, in the order of their first bytes.
struct PendingOutputs: Sendable {
    private var order: [ServerConnectionID] = []
    private var buffers: [ServerConnectionID: ByteBuffer] = [:]
    private var closed: [ServerConnectionID] = []

    mutating func append(to connection: ServerConnectionID, _ write: (inout ByteBuffer) -> Void) {
        if buffers[connection] == nil { order.append(connection) }
        write(&buffers[connection, default: ByteBuffer()])
    }

    mutating func close(_ connection: ServerConnectionID) {
        if !closed.contains(connection) { closed.append(connection) }
    }

    mutating func take() -> [ServerOutput] {
        let outputs = order.compactMap { id in buffers[id].map { ServerOutput.send($0, to: id) } }
        defer { self = PendingOutputs() }
        return outputs + closed.map { .close($0) }
    }
}
