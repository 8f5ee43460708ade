package import ParleyModel

extension StoreError {
    /// Maps any error to the error that the caller of a store expects.
    package init(_ error: any Error) {
        switch error {
        case let error as StoreError:
            self = error
        case let error as PostgresError where error.isUniqueViolation:
            self = .taken
        case let error as PostgresError:
            let code = error.state.map { " (\($0))" } ?? ""
            let text = "PostgreSQL: \(error.message)\(code)"
            self = error.isPassing ? .unavailable(text) : .failed(text)
        case is CancellationError:
            self = .unavailable("the call was cancelled")
        default:
            self = .failed("\(error)")
        }
    }
}
