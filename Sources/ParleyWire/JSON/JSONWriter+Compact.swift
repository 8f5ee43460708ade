package import NIOCore

extension JSONWriter {
    /// The same JSON without white space, every string with as few escapes as it needs; numbers stay as they are.
    package static func compacted(_ json: ByteBuffer) throws(JSONFlaw) -> String {
        var reader = JSONReader(json)
        var writer = JSONWriter(capacity: json.readableBytes)
        try writer.copy(from: &reader)
        try reader.end()
        return String(buffer: writer.bytes)
    }

    /// Writes the reader's next value; as deep as a reader goes.
    private mutating func copy(from reader: inout JSONReader) throws(JSONFlaw) {
        switch try reader.kind() {
        case .object:
            try reader.enterObject()
            beginObject()
            while let key = try reader.nextKey() {
                self.key(escaping: key)
                try copy(from: &reader)
            }
            endObject()
        case .array:
            try reader.enterArray()
            beginArray()
            while try reader.nextElement() { try copy(from: &reader) }
            endArray()
        case .string:
            string(try reader.string())
        case .number, .bool, .null:
            raw(try reader.raw())
        }
    }
}
