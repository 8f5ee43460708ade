package import NIOCore

/// Opens connections to Redis servers and sentinels: TCP and Unix sockets in the program (`SocketTransport`), something
/// else in a simulation.
package protocol RedisTransport: Sendable {
    /// Opens a connection. Called on `eventLoop`, on which `receiver` is called too.
    /// - Parameter timeout: The maximum time to open it, after which `receiver` is told that it has ended.
    func connect(
        to endpoint: RedisEndpoint, encryption: RedisEncryption?, timeout: Duration, on eventLoop: any EventLoop,
        _ receiver: any RedisReceiver)
}

/// A connection that was opened; used on its event loop. Calls after its end have no effect.
package protocol RedisConnection {
    /// Appends bytes to the output of the next flush.
    func write(_ bytes: ByteBuffer)
    func flush()
    /// Closes the connection; its receiver is told that it has ended.
    func close()
}

/// The receiver of a connection's events. It is called on the connection's event loop, possibly already by
/// `RedisTransport.connect`.
package protocol RedisReceiver: AnyObject {
    /// Reports that the connection is open. Called first, and not at all if it could not be opened.
    func opened(_ connection: any RedisConnection)
    /// Passes on the bytes that have arrived, at least one.
    func received(_ bytes: ByteBuffer)
    /// Reports that the connection has ended, or could not be opened. Called last, and once.
    func ended(_ reason: String)
}
