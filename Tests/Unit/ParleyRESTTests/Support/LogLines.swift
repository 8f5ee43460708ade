import Logging
import Synchronization

/// Records log output, one text for each line.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(sink: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let sink: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
            let facts = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            sink.lines.withLock {
                $0.append(([event.level.rawValue, event.message.description] + facts).joined(separator: " "))
            }
        }
    }
}
