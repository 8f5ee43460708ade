import ParleyJSON
import ParleyModel

/// Reads the fields of objects for `V1Decoder`, with errors that name the field.
///
/// `null` counts as an absent field, since some languages encode it so.
struct V1FieldReader {
    fileprivate var json: JSONReader

    init(_ json: [UInt8]) {
        self.json = JSONReader(json)
    }

    // MARK: Structure

    /// - Parameter name: the field that holds the object; `nil` for the frame itself.
    mutating func enterObject(_ name: String?) throws(V1CommandError) {
        do { try json.enterObject() } catch { throw invalid(error, name) }
    }

    mutating func enterArray(_ name: String) throws(V1CommandError) {
        do { try json.enterArray() } catch { throw invalid(error, name) }
    }

    mutating func nextKey() throws(V1CommandError) -> String? {
        do { return try json.nextKey() } catch { throw V1CommandError(error) }
    }

    mutating func nextElement() throws(V1CommandError) -> Bool {
        do { return try json.nextElement() } catch { throw V1CommandError(error) }
    }

    mutating func skip() throws(V1CommandError) {
        do { try json.skip() } catch { throw V1CommandError(error) }
    }

    mutating func end() throws(V1CommandError) {
        do { try json.end() } catch { throw V1CommandError(error) }
    }

    mutating func kind() throws(V1CommandError) -> JSONKind {
        do { return try json.kind() } catch { throw V1CommandError(error) }
    }

    /// Skips `null`.
    /// - Returns: whether it was there.
    mutating func isNull() throws(V1CommandError) -> Bool {
        do {
            guard try json.kind() == .null else { return false }
            try json.skip()
            return true
        } catch {
            throw V1CommandError(error)
        }
    }

    // MARK: Values

    mutating func tree(_ name: String) throws(V1CommandError) -> JSONTree {
        do { return try json.tree() } catch { throw invalid(error, name) }
    }

    /// Reads a field that may occur once.
    mutating func read<Value: V1FieldValue>(
        _ name: String, into value: inout Value?
    ) throws(V1CommandError) {
        if try isNull() { return }
        guard value == nil else { throw V1CommandError(.duplicate(V1CommandError.cut(name))) }
        value = try Value.read(name, &self)
    }

    // MARK: Errors

    /// Adds the field's name, if the error concerns its value.
    fileprivate func invalid(_ invalid: JSONError, _ name: String?) -> V1CommandError {
        switch invalid {
        case .expected, .notAnInteger, .numberTooLarge, .notUTF8, .loneSurrogate, .nul:
            name.map { .bad($0, invalid.explanation) } ?? V1CommandError(invalid)
        case .endsEarly, .syntax, .trailingBytes, .tooDeep, .duplicate:
            V1CommandError(invalid)
        }
    }
}

/// A type of value that a field of a command can hold.
protocol V1FieldValue {
    /// Reads the value of a field.
    /// - Parameter name: the name of the field, for errors.
    static func read(_ name: String, _ reader: inout V1FieldReader) throws(V1CommandError) -> Self
}

extension String: V1FieldValue {
    static func read(_ name: String, _ reader: inout V1FieldReader) throws(V1CommandError) -> String {
        do { return try reader.json.string() } catch { throw reader.invalid(error, name) }
    }
}

extension Int64: V1FieldValue {
    static func read(_ name: String, _ reader: inout V1FieldReader) throws(V1CommandError) -> Int64 {
        do { return try reader.json.integer() } catch { throw reader.invalid(error, name) }
    }
}

extension Bool: V1FieldValue {
    static func read(_ name: String, _ reader: inout V1FieldReader) throws(V1CommandError) -> Bool {
        do { return try reader.json.bool() } catch { throw reader.invalid(error, name) }
    }
}

extension Identifier: V1FieldValue {
    static func read(_ name: String, _ reader: inout V1FieldReader) throws(V1CommandError) -> Identifier {
        try Identifier(try String.read(name, &reader), in: name)
    }

    /// - Parameter name: the name of the field that holds it, for the error.
    init(_ text: String, in name: String) throws(V1CommandError) {
        guard let id = Identifier(text) else {
            throw .bad(
                name, "not a valid id; an id has 1 to \(Self.maximumLength) characters of A-Z a-z 0-9 . _ -")
        }
        self = id
    }
}
