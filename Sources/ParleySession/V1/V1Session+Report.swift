package import ParleyModel

extension V1Session {
    /// What was left out because the client reads too slowly, and it was not told so yet.
    package var behind: [ThreadID: ClosedRange<Int64>] { backlog.behind }
}
