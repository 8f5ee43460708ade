import Logging

extension Logger {
    /// Says nothing.
    static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
