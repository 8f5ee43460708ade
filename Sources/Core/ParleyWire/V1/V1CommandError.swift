import ParleyJSON

/// The reason that a frame is not a valid v1 command.
package struct V1CommandError: Error, Hashable, Sendable {
    /// The frame's `ref`, if it is readable.
    package var ref: Int64?
    /// `badRequest` or `unknownCommand`.
    package let code: V1ErrorCode
    /// The error and the rule.
    package let message: String

    package init(ref: Int64? = nil, code: V1ErrorCode, message: String) {
        self.ref = ref
        self.code = code
        self.message = message
    }

    static func bad(_ message: String) -> V1CommandError {
        V1CommandError(code: .badRequest, message: message)
    }

    /// The value of a field is invalid.
    static func bad(_ field: String, _ message: String) -> V1CommandError {
        bad("\"\(cut(field))\": \(message)")
    }

    static func missing(_ field: String, in command: String) -> V1CommandError {
        bad("\"\(command)\" lacks \"\(field)\"")
    }

    init(_ violation: JSONError) {
        self.init(code: .badRequest, message: violation.explanation)
    }

    /// A client's text, truncated to keep the error short.
    static func cut(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(40)))
    }
}
