import Foundation
import NIOCore
import ParleyRedisClient
import ParleyTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A connection whose calls block: the comparison makes millions of them, one after another.
final class BlockingRedisClient {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let file: Int32
    private let reader: RESPReader

    /// Connects to a Unix socket.
    init(_ path: String) throws {
        guard let reader = RESPReader() else { throw Failure(description: "out of memory") }
        self.reader = reader
        file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw Failure(description: "no connection to \(path): \(errno)") }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(file)
    }

    func send(_ bytes: ByteBuffer) throws {
        var rest = bytes
        while rest.readableBytes > 0 {
            let count = rest.withUnsafeReadableBytes {
                Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "send: \(errno)") }
            rest.moveReaderIndex(forwardBy: count)
        }
    }

    /// Waits for this many replies.
    func replies(_ count: Int) throws -> [RESPValue] {
        var replies: [RESPValue] = []
        while true {
            while replies.count < count, let reply = try reader.next() { replies.append(reply) }
            guard replies.count < count else { return replies }
            var buffer = [UInt8](repeating: 0, count: 65536)
            let length = recv(file, &buffer, buffer.count, 0)
            guard length > 0 else { throw Failure(description: "\(replies.count) of \(count) replies: \(errno)") }
            try buffer.withUnsafeBytes { try reader.feed(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        }
    }
}
