import ParleyJSON

/// Why a frame is no command of the v1 dialect.
package struct V1CommandError: Error, Hashable, Sendable {
    /// The frame's `ref`, if it has one that can be read.
    package var ref: Int64?
    /// `badRequest` or `unknownCommand`.
    package let code: V1ErrorCode
    /// What was wrong and what is allowed.
    package let message: String

    package init(ref: Int64? = nil, code: V1ErrorCode, message: String) {
        self.ref = ref
        self.code = code
        self.message = message
    }

    static func bad(_ message: String) -> V1CommandError {
        V1CommandError(code: .badRequest, message: message)
    }

    /// Something is wrong with the value of a field.
    static func bad(_ field: String, _ message: String) -> V1CommandError {
        bad("\"\(cut(field))\": \(message)")
    }

    static func missing(_ field: String, in command: String) -> V1CommandError {
        bad("\"\(command)\" lacks \"\(field)\"")
    }

    init(_ violation: JSONError) {
        self.init(code: .badRequest, message: violation.explanation)
    }

    /// What a client has written, short enough for an answer.
    static func cut(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(40)))
    }
}
