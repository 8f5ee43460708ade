package import ParleyModel

extension V1Session {
    /// Skipped ranges that the client, a slow reader, has not been told of yet.
    package var behind: [ThreadID: ClosedRange<Int64>] { backlog.behind }
}
