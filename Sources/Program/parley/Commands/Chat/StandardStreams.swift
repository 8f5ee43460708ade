import Foundation

/// Standard error, for people.
enum StandardError {
    static func write(_ text: String) { try? StandardOutput.write(text, to: 2) }
    static func print(_ text: String) { write(text + "\n") }
}

/// Standard output, for data: each call writes everything at once.
enum StandardOutput {
    /// The reader is gone.
    struct Closed: Error {}

    /// - Throws: ``Closed``.
    static func write(_ text: String, to file: Int32 = 1) throws(Closed) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                // A terminal or pipe that another process made non-blocking.
                var descriptor = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                _ = poll(&descriptor, 1, 1000)
            } else if count < 0, errno == EINTR {
                continue
            } else {
                throw Closed()
            }
        }
    }
}
