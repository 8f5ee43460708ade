/// An SQL statement with `$1`, `$2` … where its parameters go.
///
/// The text is a constant of this program: values never become part of it.
package struct Statement: Hashable, Sendable {
    package let sql: String
    /// Prepared once per connection; a statement that is run rarely is parsed each time instead.
    let isKept: Bool

    package init(_ sql: String, isKept: Bool = true) {
        self.sql = sql
        self.isKept = isKept
    }

    /// The statement with values for its parameters.
    package func callAsFunction(_ parameters: Parameter...) -> Call {
        Call(statement: self, parameters: parameters)
    }

    package static let begin = Statement("BEGIN")
    package static let commit = Statement("COMMIT")
    static let rollback = Statement("ROLLBACK")
}

/// A statement and the values of its parameters.
package struct Call: Sendable {
    package let statement: Statement
    package let parameters: [Parameter]
}
