import Foundation
import ParleyTerminal
import Synchronization

/// The terminal on standard input and output: raw mode and the alternate screen, and back.
///
/// Guarded by a mutex, so that the first of several ends of the program restores it, once.
final class TerminalDevice: Sendable {
    /// The settings before raw mode; `nil` while they are in force.
    private let original = Mutex<termios?>(nil)

    /// Whether a screen can be shown.
    static func isUsable(_ environment: [String: String]) -> Bool {
        isatty(0) == 1 && isatty(1) == 1 && !["dumb", "", nil].contains(environment["TERM"])
    }

    /// - Throws: ``ChatFailure``.
    func enter() throws {
        try original.withLock { original in
            guard original == nil else { return }
            var settings = termios()
            guard tcgetattr(0, &settings) == 0 else { throw ChatFailure("standard input is not a terminal") }
            original = settings
            settings.c_iflag &= ~tcflag_t(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON)
            settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
            _ = tcsetattr(0, TCSAFLUSH, &settings)
            write(Painter.enter)
        }
    }

    /// Restores the terminal; no effect if it is restored.
    func leave() {
        original.withLock { original in
            guard var settings = original else { return }
            write(Painter.leave)
            _ = tcsetattr(0, TCSAFLUSH, &settings)
            original = nil
        }
    }

    /// Draws on the screen. Has no effect once the terminal is restored, since a late drawing may arrive after that.
    func draw(_ text: String) {
        original.withLock { original in
            if original != nil { write(text) }
        }
    }

    /// A terminal that is gone is noticed when it is read.
    private func write(_ text: String) { try? StandardOutput.write(text) }

    /// Stops the process until it is continued, as the terminal does at Ctrl-Z.
    static func stopProcess() {
        // Threads of a queue block signals; it has to take effect before this returns.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGTSTP)
    }

    /// Columns and rows.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (min(Int(size.ws_col), 1000), min(Int(size.ws_row), 1000))
    }
}
