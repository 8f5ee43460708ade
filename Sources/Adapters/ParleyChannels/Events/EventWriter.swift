import ParleyModel

/// Writes events in either serialisation, up to the point where a Redis script completes them.
struct EventWriter {
    private let serializer: ChannelsSettings.Serializer
    private var msgpack = MessagePackWriter()
    private var json = PythonJSONWriter()
    private var isFirst = true

    init(_ serializer: ChannelsSettings.Serializer) {
        self.serializer = serializer
    }

    var bytes: [UInt8] {
        serializer == .msgpack ? msgpack.bytes : json.bytes
    }

    /// Writes the separator before the next field of this map.
    mutating func beginNext() {
        if serializer == .json, !isFirst { json.append(", ") }
    }

    /// Opens a map of exactly `count` fields.
    mutating func open(_ count: Int) {
        isFirst = true
        switch serializer {
        case .msgpack: msgpack.mapHeader(count)
        case .json: json.append("{")
        }
    }

    mutating func close() {
        isFirst = false
        if serializer == .json { json.append("}") }
    }

    mutating func key(_ name: String) {
        switch serializer {
        case .msgpack: msgpack.write(name)
        case .json:
            beginNext()
            json.write(name)
            json.append(": ")
        }
        isFirst = false
    }

    mutating func field(_ name: String, _ text: String) {
        key(name)
        switch serializer {
        case .msgpack: msgpack.write(text)
        case .json: json.write(text)
        }
    }

    mutating func field(_ name: String, _ number: Int64) {
        key(name)
        switch serializer {
        case .msgpack: msgpack.write(number)
        case .json: json.append(String(number))
        }
    }

    /// Writes a field.
    /// - Parameter value: A value that both formats can represent; any other is written as `null`.
    mutating func field(_ name: String, _ value: ChannelsValue) {
        key(name)
        switch serializer {
        case .msgpack: msgpack.append(encoded: (try? MessagePackWriter.encode(value)) ?? [0xC0])
        case .json: json.append(encoded: (try? PythonJSONWriter.encode(value)) ?? Array("null".utf8))
        }
    }

    mutating func field(_ name: String, _ user: User) {
        key(name)
        open(2)
        field("id", user.id.text)
        field("name", user.name)
        close()
    }
}
