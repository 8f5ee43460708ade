package import ParleyModel

extension V1Session {
    /// Skipped ranges that have not been reported yet to the client, a slow reader.
    package var behind: [ThreadID: ClosedRange<Int64>] { backlog.behind }
}
