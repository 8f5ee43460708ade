/// Why some bytes are not the JSON that was asked for (RFC 8259).
package enum JSONError: Error, Hashable, Sendable {
    /// The bytes end inside the text.
    case endsEarly
    /// A byte that may not stand there; `at` counts bytes from 0.
    case syntax(at: Int)
    /// Something follows the text.
    case trailingBytes(at: Int)
    /// More than `JSONReader.maximumDepth` arrays and objects inside each other.
    case tooDeep
    /// Another kind of value stands there; the name of the one that is allowed, with its article.
    case expected(String)
    /// The number is no whole number of 64 bits.
    case notAnInteger
    /// The number is beyond what a double holds.
    case numberTooLarge
    /// The object has this name twice, and the two may differ.
    case duplicate(String)
    /// A string holds bytes that are not UTF-8.
    case notUTF8
    /// A string holds half of a UTF-16 surrogate pair, written as `\uD800` … `\uDFFF`.
    case loneSurrogate
    /// A string holds the character U+0000, which not every database takes.
    case nul

    /// What was wrong, for the client.
    package var explanation: String {
        switch self {
        case .endsEarly: "the JSON text ends early"
        case .syntax(let offset): "no valid JSON at byte \(offset)"
        case .trailingBytes(let offset): "one JSON text is allowed, something follows it at byte \(offset)"
        case .tooDeep: "JSON is nested too deeply; allowed are \(JSONReader.maximumDepth) levels"
        case .expected(let kind): "\(kind) is expected"
        case .notAnInteger: "a whole number of at most 64 bits is expected"
        case .numberTooLarge: "a number is too large; allowed are those that a double holds"
        case .duplicate(let name): "\"\(name)\" stands there twice"
        case .notUTF8: "a string is not UTF-8"
        case .loneSurrogate: "a string holds half of a surrogate pair"
        case .nul: "a string holds a NUL character, which is not allowed"
        }
    }
}
