/// A statement whose rows have a Swift type.
package struct Query<Value>: Sendable {
    private let statement: Statement
    private let decode: @Sendable (Row) throws -> Value

    /// - Parameter decode: decodes a row. It depends on the columns of the statement, so both are declared together.
    package init(_ sql: String, isKept: Bool = true, _ decode: @escaping @Sendable (Row) throws -> Value) {
        statement = Statement(sql, isKept: isKept)
        self.decode = decode
    }

    /// Binds values to the parameters.
    package func callAsFunction(_ parameters: Parameter...) -> TypedCall<Value> {
        TypedCall(call: Call(statement: statement, parameters: parameters), decode: decode)
    }
}

extension Query<Void> {
    /// Creates a statement for which only the number of rows matters.
    package init(_ sql: String) {
        self.init(sql) { _ in }
    }
}

/// A statement with the values of its parameters, and the Swift type of its rows.
package struct TypedCall<Value>: Sendable {
    package let call: Call
    fileprivate let decode: @Sendable (Row) throws -> Value
}

/// Statements that are sent together, in one round trip. A statement that returns rows has a token, which gives access
/// to its rows in the replies.
package struct Pipeline: Sendable {
    /// The index of a statement's reply.
    package struct Token<Value>: Sendable {
        fileprivate let index: Int
        fileprivate let decode: @Sendable (Row) throws -> Value
    }

    fileprivate private(set) var calls: [Call]

    package init(_ calls: Call...) {
        self.calls = calls
    }

    package mutating func add(_ calls: Call...) {
        self.calls += calls
    }

    package mutating func add(_ calls: [Call]) {
        self.calls += calls
    }

    package mutating func add<Value>(_ call: TypedCall<Value>) -> Token<Value> {
        calls.append(call.call)
        return Token(index: calls.count - 1, decode: call.decode)
    }

    /// - Parameter decode: decodes a row with the help of values that it captures.
    package mutating func add<Value>(
        _ call: Call, _ decode: @escaping @Sendable (Row) throws -> Value
    ) -> Token<Value> {
        add(TypedCall(call: call, decode: decode))
    }
}

/// The replies to a pipeline. Not `Sendable`: they are only read on the connection's thread.
package struct Replies {
    fileprivate let replies: [Rows]

    package func all<Value>(_ token: Pipeline.Token<Value>) throws -> [Value] {
        try replies[token.index].map(token.decode)
    }

    package func first<Value>(_ token: Pipeline.Token<Value>) throws -> Value? {
        try replies[token.index].first.map(token.decode)
    }

    /// Returns the number of rows.
    package func count<Value>(_ token: Pipeline.Token<Value>) -> Int { replies[token.index].count }
}

extension PostgresConnection {
    /// Runs the statements of a pipeline in order, in one round trip.
    @discardableResult
    package func run(_ pipeline: Pipeline) throws(PostgresError) -> Replies {
        Replies(replies: try run(pipeline.calls))
    }

    /// Runs one statement.
    package func run<Value>(_ call: TypedCall<Value>) throws -> [Value] {
        var pipeline = Pipeline()
        let token = pipeline.add(call)
        return try run(pipeline).all(token)
    }

    /// Runs one statement.
    package func run<Value>(_ call: Call, _ decode: @escaping @Sendable (Row) throws -> Value) throws -> [Value] {
        try run(TypedCall(call: call, decode: decode))
    }
}
