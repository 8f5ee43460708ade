import ParleyJSON
import ParleyModel

/// Reads the fields of objects for `V1Decoder`, and says which field is wrong when one is.
///
/// `null` is as good as a field that is not there, since some languages write it so.
struct V1FieldReader {
    private var json: JSONReader

    init(_ json: [UInt8]) {
        self.json = JSONReader(json)
    }

    // MARK: Structure

    /// - Parameter name: of the field whose value the object is, `nil` for the frame itself.
    mutating func enterObject(_ name: String?) throws(V1Flaw) {
        do { try json.enterObject() } catch { throw flaw(error, name) }
    }

    mutating func enterArray(_ name: String) throws(V1Flaw) {
        do { try json.enterArray() } catch { throw flaw(error, name) }
    }

    mutating func nextKey() throws(V1Flaw) -> String? {
        do { return try json.nextKey() } catch { throw V1Flaw(error) }
    }

    mutating func nextElement() throws(V1Flaw) -> Bool {
        do { return try json.nextElement() } catch { throw V1Flaw(error) }
    }

    mutating func skip() throws(V1Flaw) {
        do { try json.skip() } catch { throw V1Flaw(error) }
    }

    mutating func end() throws(V1Flaw) {
        do { try json.end() } catch { throw V1Flaw(error) }
    }

    mutating func kind() throws(V1Flaw) -> JSONKind {
        do { return try json.kind() } catch { throw V1Flaw(error) }
    }

    /// Passes over `null`.
    /// - Returns: whether it stood there.
    mutating func isNull() throws(V1Flaw) -> Bool {
        guard try kind() == .null else { return false }
        try skip()
        return true
    }

    // MARK: Values

    mutating func string(_ name: String) throws(V1Flaw) -> String {
        do { return try json.string() } catch { throw flaw(error, name) }
    }

    mutating func integer(_ name: String) throws(V1Flaw) -> Int64 {
        do { return try json.integer() } catch { throw flaw(error, name) }
    }

    mutating func bool(_ name: String) throws(V1Flaw) -> Bool {
        do { return try json.bool() } catch { throw flaw(error, name) }
    }

    mutating func tree(_ name: String) throws(V1Flaw) -> JSONTree {
        do { return try json.tree() } catch { throw flaw(error, name) }
    }

    // MARK: Fields that come once

    mutating func string(_ name: String, into value: inout String?) throws(V1Flaw) {
        if try isNull() { return }
        guard value == nil else { throw V1Flaw(.duplicate(V1Flaw.cut(name))) }
        value = try string(name)
    }

    mutating func integer(_ name: String, into value: inout Int64?) throws(V1Flaw) {
        if try isNull() { return }
        guard value == nil else { throw V1Flaw(.duplicate(V1Flaw.cut(name))) }
        value = try integer(name)
    }

    mutating func bool(_ name: String, into value: inout Bool?) throws(V1Flaw) {
        if try isNull() { return }
        guard value == nil else { throw V1Flaw(.duplicate(V1Flaw.cut(name))) }
        value = try bool(name)
    }

    // MARK: Ids

    mutating func thread(_ name: String, into value: inout ThreadID?) throws(V1Flaw) {
        value = try id(name, value)
    }

    mutating func message(_ name: String, into value: inout MessageID?) throws(V1Flaw) {
        value = try id(name, value)
    }

    mutating func thread(_ name: String) throws(V1Flaw) -> ThreadID {
        try Self.id(try string(name), name)
    }

    mutating func user(_ name: String) throws(V1Flaw) -> UserID {
        try Self.id(try string(name), name)
    }

    static func id<Kind>(_ text: String, _ name: String) throws(V1Flaw) -> Identifier<Kind> {
        guard let id = Identifier<Kind>(text) else {
            throw .bad(name, "no id; an id has 1 to \(Identifier<Kind>.maximumLength) characters of A-Z a-z 0-9 . _ -")
        }
        return id
    }

    private mutating func id<Kind>(
        _ name: String, _ value: Identifier<Kind>?
    ) throws(V1Flaw) -> Identifier<Kind>? {
        if try isNull() { return value }
        guard value == nil else { throw V1Flaw(.duplicate(V1Flaw.cut(name))) }
        return try Self.id(try string(name), name)
    }

    // MARK: Flaws

    /// Names the field if the flaw is one of its value.
    private func flaw(_ flaw: JSONFlaw, _ name: String?) -> V1Flaw {
        switch flaw {
        case .expected, .notAnInteger, .numberTooLarge, .notUTF8, .loneSurrogate, .nul:
            name.map { .bad($0, flaw.explanation) } ?? V1Flaw(flaw)
        case .endsEarly, .syntax, .trailingBytes, .tooDeep, .duplicate:
            V1Flaw(flaw)
        }
    }
}
