/// A violation of a contract by an adapter.
package struct ContractViolation: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// Fails the fact unless `condition` holds.
package func demand(
    _ condition: Bool, _ fact: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) throws {
    guard condition else { throw ContractViolation("\(fact()) (\(file):\(line))") }
}

/// Fails the fact unless the two values are equal.
package func demandEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ fact: @autoclosure () -> String = "", file: StaticString = #fileID,
    line: UInt = #line
) throws {
    try demand(actual == expected, "\(fact()): is \(actual), must be \(expected)", file: file, line: line)
}
