/// The reason that some bytes are not the expected JSON (RFC 8259).
package enum JSONError: Error, Hashable, Sendable {
    /// The bytes end inside the text.
    case endsEarly
    /// An unexpected byte at offset `at`.
    case syntax(at: Int)
    /// Something follows the JSON text.
    case trailingBytes(at: Int)
    /// More than `JSONReader.maximumDepth` nested arrays and objects.
    case tooDeep
    /// A value of another kind; names the expected kind, with its article.
    case expected(String)
    /// The number is not a 64-bit integer.
    case notAnInteger
    /// The number exceeds the range of a double.
    case numberTooLarge
    /// The object has this name twice.
    case duplicate(String)
    /// A string contains bytes that are not UTF-8.
    case notUTF8
    /// A string contains an unpaired UTF-16 surrogate, written as `\uD800` … `\uDFFF`.
    case loneSurrogate
    /// A string contains the character U+0000, which not every database can store.
    case nul

    /// The error, for the client.
    package var explanation: String {
        switch self {
        case .endsEarly: "the JSON text ends early"
        case .syntax(let offset): "invalid JSON at byte \(offset)"
        case .trailingBytes(let offset): "one JSON text is allowed; more follows at byte \(offset)"
        case .tooDeep: "JSON is nested too deeply; allowed are \(JSONReader.maximumDepth) levels"
        case .expected(let kind): "\(kind) is expected"
        case .notAnInteger: "a whole number of at most 64 bits is expected"
        case .numberTooLarge: "a number is too large; allowed are the finite values of a double"
        case .duplicate(let name): "\"\(name)\" stands there twice"
        case .notUTF8: "a string is not UTF-8"
        case .loneSurrogate: "a string contains half of a surrogate pair"
        case .nul: "a string contains a NUL character, which is not allowed"
        }
    }
}
