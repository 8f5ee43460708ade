import ParleyJSON
import ParleyModel

/// Reads the fields of objects for `V1Decoder`, with errors that name the field.
///
/// `null` counts as an absent field, since some languages encode it so.
struct V1FieldReader {
    private var json: JSONReader

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
        guard try kind() == .null else { return false }
        try skip()
        return true
    }

    // MARK: Values

    mutating func string(_ name: String) throws(V1CommandError) -> String {
        do { return try json.string() } catch { throw invalid(error, name) }
    }

    mutating func integer(_ name: String) throws(V1CommandError) -> Int64 {
        do { return try json.integer() } catch { throw invalid(error, name) }
    }

    mutating func bool(_ name: String) throws(V1CommandError) -> Bool {
        do { return try json.bool() } catch { throw invalid(error, name) }
    }

    mutating func tree(_ name: String) throws(V1CommandError) -> JSONTree {
        do { return try json.tree() } catch { throw invalid(error, name) }
    }

    // MARK: Fields that occur once

    mutating func string(_ name: String, into value: inout String?) throws(V1CommandError) {
        if try isNull() { return }
        guard value == nil else { throw V1CommandError(.duplicate(V1CommandError.cut(name))) }
        value = try string(name)
    }

    mutating func integer(_ name: String, into value: inout Int64?) throws(V1CommandError) {
        if try isNull() { return }
        guard value == nil else { throw V1CommandError(.duplicate(V1CommandError.cut(name))) }
        value = try integer(name)
    }

    mutating func bool(_ name: String, into value: inout Bool?) throws(V1CommandError) {
        if try isNull() { return }
        guard value == nil else { throw V1CommandError(.duplicate(V1CommandError.cut(name))) }
        value = try bool(name)
    }

    // MARK: Ids

    mutating func thread(_ name: String, into value: inout ThreadID?) throws(V1CommandError) {
        value = try id(name, value)
    }

    mutating func message(_ name: String, into value: inout MessageID?) throws(V1CommandError) {
        value = try id(name, value)
    }

    mutating func thread(_ name: String) throws(V1CommandError) -> ThreadID {
        try Self.id(try string(name), name)
    }

    mutating func user(_ name: String) throws(V1CommandError) -> UserID {
        try Self.id(try string(name), name)
    }

    static func id<Kind>(_ text: String, _ name: String) throws(V1CommandError) -> Identifier<Kind> {
        guard let id = Identifier<Kind>(text) else {
            throw .bad(
                name, "not a valid id; an id has 1 to \(Identifier<Kind>.maximumLength) characters of A-Z a-z 0-9 . _ -"
            )
        }
        return id
    }

    private mutating func id<Kind>(
        _ name: String, _ value: Identifier<Kind>?
    ) throws(V1CommandError) -> Identifier<Kind>? {
        if try isNull() { return value }
        guard value == nil else { throw V1CommandError(.duplicate(V1CommandError.cut(name))) }
        return try Self.id(try string(name), name)
    }

    // MARK: Errors

    /// Adds the field's name, if the error concerns its value.
    private func invalid(_ invalid: JSONError, _ name: String?) -> V1CommandError {
        switch invalid {
        case .expected, .notAnInteger, .numberTooLarge, .notUTF8, .loneSurrogate, .nul:
            name.map { .bad($0, invalid.explanation) } ?? V1CommandError(invalid)
        case .endsEarly, .syntax, .trailingBytes, .tooDeep, .duplicate:
            V1CommandError(invalid)
        }
    }
}
