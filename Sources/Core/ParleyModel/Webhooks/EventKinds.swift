/// The kinds of events that a reader of the stream asks for, by their names on the wire.
package struct EventKinds: Hashable, Sendable {
    /// The name of rows of the audit log.
    package static let audit = "audit"
    /// The name of everything: all events of logs, and the audit log.
    package static let all = "all"

    /// The names that are allowed, for messages of errors.
    package static let allowed =
        (LogEvent.Kind.allCases.map(\.rawValue) + [audit, all]).joined(separator: ", ")
    /// The maximum number of names.
    package static let maximumCount = LogEvent.Kind.allCases.count + 2

    /// The kinds of log events; `nil` for all.
    package var log: Set<LogEvent.Kind>?
    package var hasAudit: Bool

    /// All events of logs.
    package init() {
        log = nil
        hasAudit = false
    }

    package init(log: Set<LogEvent.Kind>?, hasAudit: Bool) {
        self.log = log
        self.hasAudit = hasAudit
    }

    /// - Returns: `nil` if a name is unknown.
    package init?(names: [String]) {
        var (log, hasAudit, hasAll) = (Set<LogEvent.Kind>(), false, false)
        for name in names {
            switch name {
            case Self.audit: hasAudit = true
            case Self.all: hasAll = true
            default:
                guard let kind = LogEvent.Kind(rawValue: name) else { return nil }
                log.insert(kind)
            }
        }
        self.init(log: hasAll ? nil : log, hasAudit: hasAudit || hasAll)
    }

    /// The names in alphabetical order; `nil` for all events of logs.
    package var names: [String]? {
        guard let log else { return hasAudit ? [Self.all] : nil }
        return (log.map(\.rawValue) + (hasAudit ? [Self.audit] : [])).sorted()
    }
}
