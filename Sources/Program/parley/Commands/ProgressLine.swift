import Foundation

/// A progress line on standard error, updated in place; prints nothing unless standard error is a terminal.
struct ProgressLine: Sendable {
    private let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1

    func show(_ text: String) {
        guard isTerminal else { return }
        // A wrapped line could not be erased.
        let text = text.prefix(max(20, Self.columns - 1))
        // Returns to the start of the line and erases it.
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
