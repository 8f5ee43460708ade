extension JSONTree {
    /// Parses one JSON text (RFC 8259), with nothing after it.
    /// - Throws: errors of `JSONReader.tree()`; `trailingBytes`.
    package init(parsing text: some Sequence<UInt8>) throws(JSONError) {
        var reader = JSONReader(Array(text))
        self = try reader.tree()
        try reader.end()
    }

    /// Parses one JSON text (RFC 8259), with nothing after it.
    /// - Throws: errors of `JSONReader.tree()`; `trailingBytes`.
    package init(parsing text: String) throws(JSONError) {
        try self.init(parsing: text.utf8)
    }
}

extension JSONReader {
    /// Reads the next value of any kind as a whole.
    /// - Throws: `duplicate` for an object with the same name twice, which is ambiguous; `nul` for a string that not
    ///   every database can store.
    package mutating func tree() throws(JSONError) -> JSONTree {
        switch try kind() {
        case .object: return .members(try members())
        case .array:
            var elements: [JSONTree] = []
            try enterArray()
            while try nextElement() { elements.append(try tree()) }
            return .array(elements)
        case .string: return .text(try Self.withoutNUL(try string()))
        case .number: return try number()
        case .bool: return .bool(try bool())
        case .null:
            try skip()
            return .null
        }
    }

    private mutating func members() throws(JSONError) -> [JSONTree.Member] {
        var members: [JSONTree.Member] = []
        try enterObject()
        while let key = try nextKey() {
            members.append(JSONTree.Member(try Self.withoutNUL(key), try tree()))
        }
        let sorted = JSONTree.sorted(members)
        for (one, next) in zip(sorted, sorted.dropFirst()) where one.key.utf8.elementsEqual(next.key.utf8) {
            throw .duplicate(one.key)
        }
        return sorted
    }

    private static func withoutNUL(_ text: String) throws(JSONError) -> String {
        guard !text.utf8.contains(0) else { throw .nul }
        return text
    }
}
