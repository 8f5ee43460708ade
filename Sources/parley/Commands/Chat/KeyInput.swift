import Dispatch
import Foundation

/// The bytes that the terminal sends. A read that waits ends when ``stop()`` is called, so that nothing is taken from
/// whoever reads next.
final class KeyInput: Sendable {
    private let queue = DispatchQueue(label: "parley.keys")
    private let stopping: (read: Int32, write: Int32)

    /// - Throws: ``ChatFailure``.
    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ChatFailure("too many open files") }
        stopping = (ends[0], ends[1])
    }

    deinit {
        close(stopping.read)
        close(stopping.write)
    }

    func stop() { _ = Foundation.write(stopping.write, [0], 1) }

    /// The next bytes; none if there are none within `limit` milliseconds; `nil` at the end.
    func next(within limit: Int32?) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.read(within: limit)) }
        }
    }

    private func read(within limit: Int32?) -> [UInt8]? {
        while true {
            var files = [
                pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopping.read, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&files, 2, limit ?? -1)
            if count < 0 {
                guard errno == EINTR else { return nil }
                continue
            }
            if files[1].revents != 0 { return nil }
            if count == 0 { return [] }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let length = Foundation.read(0, &bytes, bytes.count)
            if length < 0, errno == EINTR || errno == EAGAIN { continue }
            return length > 0 ? Array(bytes.prefix(length)) : nil
        }
    }
}
