import ParleyJSON
import ParleyModel

/// The fields of a server's frame, or of an object in it, for `V1ClientDecoder`.
struct V1ServerFields {
    /// The type of the frame, for errors.
    let type: String
    let tree: JSONTree

    /// `nil` if the field is absent or `null`.
    func optional(_ name: String) -> JSONTree? {
        let value = tree[name]
        return value == .null ? nil : value
    }

    func text(_ name: String) throws(V1FrameError) -> String {
        guard let text = tree[name]?.text else { throw .missing(name, in: type) }
        return text
    }

    func integer(_ name: String) throws(V1FrameError) -> Int64 {
        guard let number = tree[name]?.integer else { throw .missing(name, in: type) }
        return number
    }

    func bool(_ name: String) throws(V1FrameError) -> Bool {
        guard case .bool(let flag)? = tree[name] else { throw .missing(name, in: type) }
        return flag
    }

    func id<Kind>(_ name: String) throws(V1FrameError) -> Identifier<Kind> {
        guard let id = tree[name]?.text.flatMap({ Identifier<Kind>($0) }) else { throw .missing(name, in: type) }
        return id
    }

    func array(_ name: String) throws(V1FrameError) -> [JSONTree] {
        guard let elements = tree[name]?.elements else { throw .missing(name, in: type) }
        return elements
    }

    func object(_ name: String) throws(V1FrameError) -> V1ServerFields {
        guard let object = tree[name], case .members = object else { throw .missing(name, in: type) }
        return V1ServerFields(type: type, tree: object)
    }

    /// The members of an object that maps thread ids to objects.
    func byThread(_ name: String) throws(V1FrameError) -> [(ThreadID, V1ServerFields)] {
        guard case .members(let members)? = tree[name] else { throw .missing(name, in: type) }
        var threads: [(ThreadID, V1ServerFields)] = []
        for member in members {
            guard let thread = ThreadID(member.key) else { throw .missing(name, in: type) }
            threads.append((thread, V1ServerFields(type: type, tree: member.value)))
        }
        return threads
    }

    func position() throws(V1FrameError) -> Position {
        Position(epoch: Epoch(try text("epoch")), seq: try integer("seq"))
    }

    func person() throws(V1FrameError) -> User {
        User(id: try id("user_id"), name: try text("username"))
    }
}
