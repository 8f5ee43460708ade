import Dispatch
import Foundation

/// The lines of standard input, one at a time: nothing is read ahead but what a read returns.
///
/// State belongs to the queue.
final class StandardInputLines: @unchecked Sendable {
    /// Longer lines are refused.
    static let maximumLength = 1 << 20

    enum Line: Hashable, Sendable {
        case text(String)
        case tooLong
    }

    private let queue = DispatchQueue(label: "parley.stdin")
    private var buffer: [UInt8] = []
    private var isEnded = false

    /// The next line; `nil` at the end. Does not return before there is one, also if the task is cancelled.
    func next() async -> Line? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.read()) }
        }
    }

    private func read() -> Line? {
        var searched = 0
        var isTooLong = false
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                var line = buffer[..<end]
                if line.last == 0x0D { line.removeLast() }
                defer { buffer.removeFirst(end + 1) }
                return isTooLong ? .tooLong : .text(String(decoding: line, as: UTF8.self))
            }
            if buffer.count > Self.maximumLength {
                isTooLong = true
                buffer = []
            }
            if isEnded {
                guard !buffer.isEmpty || isTooLong else { return nil }
                defer { buffer = [] }
                return isTooLong ? .tooLong : .text(String(decoding: buffer, as: UTF8.self))
            }
            searched = buffer.count
            fill()
        }
    }

    private func fill() {
        let chunk = [UInt8](unsafeUninitializedCapacity: 16_384) { bytes, count in
            var result = -1
            while true {
                result = Foundation.read(0, bytes.baseAddress, bytes.count)
                guard result < 0, errno == EINTR || errno == EAGAIN else { break }
                var descriptor = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
                _ = poll(&descriptor, 1, 1000)
            }
            count = max(0, result)
        }
        if chunk.isEmpty { isEnded = true } else { buffer += chunk }
    }
}
