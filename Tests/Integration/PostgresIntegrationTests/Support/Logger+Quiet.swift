import Logging

extension Logger {
    /// A logger without output.
    static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
