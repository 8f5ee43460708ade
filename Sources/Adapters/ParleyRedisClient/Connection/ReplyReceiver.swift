import NIOCore

/// Parses the inbound bytes of a connection into replies. Used on the connection's event loop.
final class ReplyReceiver: RedisReceiver {
    /// The callbacks of the receiver; called on the event loop.
    struct Callbacks {
        /// The connection is open.
        var opened: (any RedisConnection) -> Void
        /// Bytes have arrived.
        var bytesReceived: () -> Void = {}
        var answered: (RESPValue) -> Void
        /// The bytes are not valid RESP; no further replies follow.
        var parseFailed: (RESPReader.ParseError) -> Void
        /// The connection has ended or could not be opened, with the reason.
        var ended: (String) -> Void
    }

    private let reader: RESPReader
    /// `nil` after the end.
    private var callbacks: Callbacks?

    init(_ reader: RESPReader, _ callbacks: Callbacks) {
        self.reader = reader
        self.callbacks = callbacks
    }

    func opened(_ connection: any RedisConnection) {
        callbacks?.opened(connection)
    }

    func received(_ bytes: ByteBuffer) {
        callbacks?.bytesReceived()
        let error = bytes.withUnsafeReadableBytes { read($0) }
        if let error { callbacks?.parseFailed(error) }
    }

    private func read(_ bytes: UnsafeRawBufferPointer) -> RESPReader.ParseError? {
        do throws(RESPReader.ParseError) {
            try reader.feed(bytes)
            while let reply = try reader.next() { callbacks?.answered(reply) }
            return nil
        } catch {
            return error
        }
    }

    func ended(_ reason: String) {
        let callbacks = callbacks
        self.callbacks = nil
        callbacks?.ended(reason)
    }
}
