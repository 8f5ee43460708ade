import Foundation
import ParleyTerminal

/// Asks questions on the terminal, before there is a screen. A signal that ends the program leaves the terminal as it was.
struct PromptTerminal {
    /// - Returns: `nil` if standard input or error is not a terminal.
    init?() {
        guard isatty(0) == 1, isatty(2) == 1 else { return nil }
    }

    func say(_ text: String) { StandardError.print(SafeText.line(text)) }

    /// - Throws: ``ChatFailure`` at the end of the input.
    func ask(_ question: String) throws -> String {
        StandardError.write(SafeText.line(question))
        guard let answer = readLine() else {
            StandardError.print("")
            throw ChatFailure("interrupted", code: 130)
        }
        return answer
    }

    /// Reads a line without echo. Keys that usually send a signal are read as characters, so that none of them leaves
    /// the terminal without echo.
    /// - Throws: ``ChatFailure`` when the user gives up.
    func askPassword(_ question: String) throws -> String {
        var old = termios()
        guard tcgetattr(0, &old) == 0 else { throw ChatFailure("the terminal cannot hide a password") }
        var hidden = old
        hidden.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        hidden.c_lflag |= tcflag_t(ECHONL)
        guard tcsetattr(0, TCSAFLUSH, &hidden) == 0 else { throw ChatFailure("the terminal cannot hide a password") }
        let signals = TerminalSignals.restoring(old)
        defer {
            _ = tcsetattr(0, TCSAFLUSH, &old)
            signals.end()
            StandardError.print("")
        }
        StandardError.write(SafeText.line(question))
        return try readHidden()
    }

    private func readHidden() throws -> String {
        var bytes: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = read(0, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else { throw ChatFailure("interrupted", code: 130) }
            switch byte {
            case 0x0A, 0x0D: return String(decoding: bytes, as: UTF8.self)
            // Ctrl-C, Ctrl-D, Ctrl-\ and Ctrl-Z.
            case 3, 4, 0x1C, 0x1A: throw ChatFailure("interrupted", code: 130)
            case 0x15: bytes = []
            case 0x08, 0x7F:
                while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
            default: if bytes.count < 4096 { bytes.append(byte) }
            }
        }
    }
}
