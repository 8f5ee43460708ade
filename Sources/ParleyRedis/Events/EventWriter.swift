import ParleyModel

/// Writes events piece by piece in either format, for what a script of Redis completes.
struct EventWriter {
    private let serializer: ChannelsSettings.Serializer
    private var msgpack = MessagePackWriter()
    private var json = PythonJSONWriter()
    private var isFirst = true

    init(_ serializer: ChannelsSettings.Serializer) {
        self.serializer = serializer
    }

    /// What is written so far; the next piece begins empty.
    mutating func takePiece() -> [UInt8] {
        defer {
            msgpack = MessagePackWriter()
            json = PythonJSONWriter()
        }
        return serializer == .msgpack ? msgpack.bytes : json.bytes
    }

    /// A map of exactly `count` fields.
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
            if !isFirst { json.append(", ") }
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

    /// - Parameter value: something that both formats have; anything else becomes `null`.
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
