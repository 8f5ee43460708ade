import Dispatch
import Foundation

/// Restores the terminal when a signal ends the program, and then lets it end the program.
///
/// Signals are taken on a queue of their own, not in a signal handler, so that anything may be called.
struct TerminalSignals {
    private let sources: [any DispatchSourceSignal]

    static func restoring(_ attributes: termios) -> TerminalSignals {
        let queue = DispatchQueue(label: "parley.signals")
        let sources = [SIGHUP, SIGINT, SIGQUIT, SIGTERM].map { number in
            Foundation.signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                var attributes = attributes
                _ = tcsetattr(0, TCSANOW, &attributes)
                _exit(128 + number)
            }
            source.resume()
            return source
        }
        return TerminalSignals(sources: sources)
    }

    func end() {
        for source in sources { source.cancel() }
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { Foundation.signal(number, SIG_DFL) }
    }
}
