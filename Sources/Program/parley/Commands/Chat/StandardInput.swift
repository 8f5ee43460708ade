import Dispatch
import Foundation

/// Reads standard input, from a terminal or a pipe. A read that waits ends when its task is cancelled, so that nothing
/// is taken from the next reader.
final class StandardInput: Sendable {
    private let queue = DispatchQueue(label: "parley.stdin")
    private let cancelling: (read: Int32, write: Int32)

    /// - Throws: ``ChatFailure``.
    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ChatFailure("too many open files") }
        cancelling = (ends[0], ends[1])
    }

    deinit {
        close(cancelling.read)
        close(cancelling.write)
    }

    /// The next bytes.
    /// - Parameter limit: The longest time to wait, in milliseconds; `nil` for no limit.
    /// - Returns: No bytes if there are none within `limit`; `nil` at the end, and permanently once a task was
    ///   cancelled.
    func next(within limit: Int32? = nil) async -> [UInt8]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.read(within: limit)) }
            }
        } onCancel: {
            _ = write(cancelling.write, [0], 1)
        }
    }

    private func read(within limit: Int32?) -> [UInt8]? {
        while true {
            var files = [
                pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
                pollfd(fd: cancelling.read, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&files, 2, limit ?? -1)
            if count < 0 {
                guard errno == EINTR else { return nil }
                continue
            }
            if files[1].revents != 0 { return nil }
            if count == 0 { return [] }
            var bytes = [UInt8](repeating: 0, count: 16_384)
            let length = Foundation.read(0, &bytes, bytes.count)
            if length < 0, errno == EINTR || errno == EAGAIN { continue }
            return length > 0 ? Array(bytes.prefix(length)) : nil
        }
    }
}

/// The lines of standard input, one at a time: no more is read ahead than what a read returns.
struct StandardInputLines {
    /// Longer lines are refused, in bytes.
    static let maximumLength = 1 << 20

    enum Line: Hashable, Sendable {
        case text(String)
        case tooLong
    }

    private let input: StandardInput
    private var buffer: [UInt8] = []
    private var isEnded = false

    init() throws { input = try StandardInput() }

    /// The next line; `nil` at the end, and when the task is cancelled.
    mutating func next() async -> Line? {
        var searched = 0
        var isTooLong = false
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                var line = buffer[..<end]
                if line.last == 0x0D { line.removeLast() }
                let text = String(decoding: line, as: UTF8.self)
                buffer.removeFirst(end + 1)
                return isTooLong ? .tooLong : .text(text)
            }
            if buffer.count > Self.maximumLength {
                isTooLong = true
                buffer = []
            }
            if isEnded {
                guard !buffer.isEmpty || isTooLong else { return nil }
                let text = String(decoding: buffer, as: UTF8.self)
                buffer = []
                return isTooLong ? .tooLong : .text(text)
            }
            searched = buffer.count
            if let bytes = await input.next() { buffer += bytes } else { isEnded = true }
        }
    }
}
