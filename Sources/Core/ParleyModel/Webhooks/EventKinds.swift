/// The kinds of events that a reader of the stream asks for, by their names on the wire.
package struct EventKinds: Hashable, Sendable {
    /// The name of everything: all events of logs, and the rows of all lanes.
    package static let all = "all"

    /// The names that are allowed, for messages of errors.
    package static let allowed =
        (LogEvent.Kind.allCases.map(\.rawValue) + RowLane.allCases.map(\.rawValue) + [all]).joined(separator: ", ")
    /// The maximum number of names.
    package static let maximumCount = LogEvent.Kind.allCases.count + RowLane.allCases.count + 1

    /// The kinds of log events; `nil` for all.
    package var log: Set<LogEvent.Kind>?
    package var rows: Set<RowLane>

    /// All events of logs.
    package init() {
        log = nil
        rows = []
    }

    package init(log: Set<LogEvent.Kind>?, rows: Set<RowLane>) {
        self.log = log
        self.rows = rows
    }

    /// - Returns: `nil` if a name is unknown.
    package init?(names: [String]) {
        var (log, rows, hasAll) = (Set<LogEvent.Kind>(), Set<RowLane>(), false)
        for name in names {
            if name == Self.all {
                hasAll = true
            } else if let lane = RowLane(rawValue: name) {
                rows.insert(lane)
            } else if let kind = LogEvent.Kind(rawValue: name) {
                log.insert(kind)
            } else {
                return nil
            }
        }
        self.init(log: hasAll ? nil : log, rows: hasAll ? Set(RowLane.allCases) : rows)
    }

    /// The names in alphabetical order; `nil` for all events of logs.
    package var names: [String]? {
        if log == nil, rows.isEmpty { return nil }
        if log == nil, rows.count == RowLane.allCases.count { return [Self.all] }
        return ((log ?? Set(LogEvent.Kind.allCases)).map(\.rawValue) + rows.map(\.rawValue)).sorted()
    }
}
