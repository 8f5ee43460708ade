import GRDB

/// Runs prepared statements, which GRDB caches for each connection.
extension Database {
    /// Runs a statement that returns no rows.
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// Returns all rows of a statement. Each row is decoded before the next is read.
    func all<Value>(
        _ sql: String, _ arguments: StatementArguments, _ decode: (Row) throws -> Value
    ) throws -> [Value] {
        let rows = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
        var values: [Value] = []
        while let row = try rows.next() { values.append(try decode(row)) }
        return values
    }

    /// Returns the first row of a statement.
    func first<Value>(
        _ sql: String, _ arguments: StatementArguments, _ decode: (Row) throws -> Value
    ) throws -> Value? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments).map(decode)
    }
}
