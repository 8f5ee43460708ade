import CPostgres

/// The result of a statement. Not `Sendable`: it is only read on the connection's thread.
///
/// Owns the `PGresult`, and copies values out of it.
package final class Rows {
    private let result: OpaquePointer

    /// - Parameter result: a `PGresult`, which this object frees.
    init(owning result: OpaquePointer) {
        self.result = result
    }

    deinit { PQclear(result) }

    /// The error of the statement; `nil` if it succeeded.
    var failure: PostgresError? {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return nil
        case PGRES_PIPELINE_ABORTED: return PostgresError(message: "a statement before it failed")
        default:
            let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
            // Uses the primary message only, since the detail would contain values.
            let primary = PQresultErrorField(result, Int32(UInt8(ascii: "M")))
            let message = PostgresError.line(primary ?? PQresultErrorMessage(result))
            return PostgresError(state: state, message: message ?? "the statement failed")
        }
    }

    package var count: Int { Int(PQntuples(result)) }
    package var first: Row? { count == 0 ? nil : Row(rows: self, index: 0) }

    /// Calls `body` for each row, in order.
    package func map<Value>(_ body: (Row) throws -> Value) rethrows -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for index in 0..<Int32(count) { values.append(try body(Row(rows: self, index: index))) }
        return values
    }

    /// Calls `body` with the bytes of a value, which are only valid during the call. Returns `nil` for NULL.
    fileprivate func withValue<Value>(
        _ row: Int32, _ column: Int, _ types: [UInt32], _ body: (UnsafeRawBufferPointer) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value? {
        let column = Int32(column)
        guard column < PQnfields(result), types.contains(PQftype(result, column)) else {
            throw PostgresError(message: "column \(column) is of an unexpected type")
        }
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return nil }
        let length = Int(PQgetlength(result, row, column))
        return try body(UnsafeRawBufferPointer(start: UnsafeRawPointer(start), count: length))
    }
}

/// A row of `Rows`. Column numbers start at 0. Reading a column as the wrong type throws an error, and never returns a
/// wrong value.
package struct Row {
    fileprivate let rows: Rows
    fileprivate let index: Int32

    /// Types with a binary format identical to the text: `text`, `varchar`, `name`, `bpchar`, `json`.
    private static let texts: [UInt32] = [Parameter.textOID, 1043, 19, 1042, 114]
    private static let integers: [UInt32] = [Parameter.intOID, 23, 21]

    package func optionalText(_ column: Int) throws(PostgresError) -> String? {
        try rows.withValue(index, column, Self.texts) { bytes throws(PostgresError) in
            String(decoding: bytes, as: UTF8.self)
        }
    }

    package func text(_ column: Int) throws(PostgresError) -> String {
        try required(optionalText(column), column)
    }

    /// Reads an integer of 2, 4 or 8 bytes.
    package func optionalInt(_ column: Int) throws(PostgresError) -> Int64? {
        try rows.withValue(index, column, Self.integers) { bytes throws(PostgresError) in
            let negative = bytes.first.map { $0 >= 0x80 } ?? false
            return bytes.reduce(negative ? -1 : 0) { $0 << 8 | Int64($1) }
        }
    }

    package func int(_ column: Int) throws(PostgresError) -> Int64 {
        try required(optionalInt(column), column)
    }

    package func optionalBytes(_ column: Int) throws(PostgresError) -> [UInt8]? {
        try rows.withValue(index, column, [Parameter.bytesOID]) { bytes throws(PostgresError) in Array(bytes) }
    }

    package func optionalBool(_ column: Int) throws(PostgresError) -> Bool? {
        try rows.withValue(index, column, [16]) { bytes throws(PostgresError) in bytes.first == 1 }
    }

    package func bool(_ column: Int) throws(PostgresError) -> Bool {
        try required(optionalBool(column), column)
    }

    private func required<Value>(_ value: Value?, _ column: Int) throws(PostgresError) -> Value {
        guard let value else { throw PostgresError(message: "column \(column) is NULL") }
        return value
    }
}
