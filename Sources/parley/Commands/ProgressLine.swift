import Foundation

/// One line on standard error that changes; nothing at all if nobody looks at a terminal.
struct ProgressLine: Sendable {
    private let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1

    func show(_ text: String) {
        guard isTerminal else { return }
        // Back to the front, and away with what stands there.
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    func note(_ text: String) { show("\(text)…") }

    func clear() { show("") }
}
