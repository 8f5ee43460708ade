/// An SQL statement with the parameters `$1`, `$2` and so on.
///
/// The text is a constant of the program and never contains values.
package struct Statement: Hashable, Sendable {
    package let sql: String
    /// Whether the statement is prepared once per connection. A rarely used statement is parsed on each call instead.
    let isKept: Bool

    package init(_ sql: String, isKept: Bool = true) {
        self.sql = sql
        self.isKept = isKept
    }

    /// Binds values to the parameters.
    package func callAsFunction(_ parameters: Parameter...) -> Call {
        Call(statement: self, parameters: parameters)
    }

    package static let begin = Statement("BEGIN")
    package static let commit = Statement("COMMIT")
    static let rollback = Statement("ROLLBACK")
}

/// A statement with the values of its parameters.
package struct Call: Sendable {
    package let statement: Statement
    package let parameters: [Parameter]
}
