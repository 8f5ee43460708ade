import Foundation

/// One line on standard error that changes; nothing at all if nobody looks at a terminal.
struct ProgressLine: Sendable {
    private let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1

    func show(_ text: String) {
        guard isTerminal else { return }
        // A line that breaks could not be taken back.
        let text = text.prefix(max(20, Self.columns - 1))
        // Back to the front, and away with what stands there.
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    /// The width of the terminal.
    private static var columns: Int {
        var size = winsize()
        guard ioctl(FileHandle.standardError.fileDescriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return 80
        }
        return Int(size.ws_col)
    }

    func note(_ text: String) { show("\(text)…") }

    func clear() { show("") }
}
