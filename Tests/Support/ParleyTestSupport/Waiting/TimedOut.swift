/// Something that a test waited for did not happen in time.
package struct TimedOut: Error, CustomStringConvertible {
    /// What was waited for.
    package let what: String
    package let limit: Duration

    package init(_ what: String, after limit: Duration) {
        self.what = what
        self.limit = limit
    }

    package var description: String { "no \(what) within \(limit)" }
}
