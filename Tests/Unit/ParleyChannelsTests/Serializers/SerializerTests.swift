import Crypto
import ParleyChannels
import ParleyTestSupport
import Testing

@Suite("Payloads equal Python's byte for byte")
struct SerializerTests {
    private let vectors: Vectors

    init() throws {
        vectors = try Vectors()
    }

    @Test("msgpack is written as by Python, and read back")
    func encodeMessagePack() throws {
        for entry in try vectors.list("msgpack", "encode") {
            let value = try Vectors.value(entry["value"])
            let bytes = try Vectors.bytes(entry)
            #expect(try MessagePackWriter.encode(value) == bytes, "\(entry["name"] ?? "")")
            #expect(try MessagePackReader.decode(bytes).normal == value.normal, "\(entry["name"] ?? "")")
        }
    }

    @Test("large values use the same headers as Python's")
    func encodeLarge() throws {
        let values: [String: ChannelsValue] = [
            "str_65535": .text(String(repeating: "s", count: 65535)),
            "str_65536": .text(String(repeating: "s", count: 65536)),
            "bin_65536": .bytes([UInt8](repeating: 0x62, count: 65536)),
            "array_65535": .array([ChannelsValue](repeating: .int(0), count: 65535)),
            "array_65536": .array([ChannelsValue](repeating: .int(0), count: 65536)),
            "map_65536": .map(
                (0..<65536).map { .init(.text(String(repeating: "0", count: 5 - "\($0)".count) + "\($0)"), .int(0)) }),
        ]
        for entry in try vectors.list("msgpack", "encode_large") {
            let name = try #require(entry["name"] as? String)
            let value = ChannelsValue.object(["type": .text("x"), "v": try #require(values[name])])
            let bytes = try MessagePackWriter.encode(value)
            let digest = SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(bytes.count == entry["length"] as? Int, "\(name)")
            #expect(digest == entry["sha256"] as? String, "\(name)")
            #expect(try MessagePackReader.decode(bytes) == value, "\(name)")
        }
    }

    @Test("msgpack that Python does not write is read as by Python")
    func decodeMessagePack() throws {
        for entry in try vectors.list("msgpack", "decode_only") {
            let value = try MessagePackReader.decode(try Vectors.bytes(entry))
            #expect(value.normal == (try Vectors.value(entry["value"])).normal, "\(entry["name"] ?? "")")
        }
    }

    @Test("msgpack that Python refuses is refused")
    func rejectMessagePack() throws {
        for entry in try vectors.list("msgpack", "reject") {
            let bytes = try Vectors.bytes(entry)
            #expect(throws: ChannelsCodecError.self, "\(entry["name"] ?? "")") { try MessagePackReader.decode(bytes) }
        }
    }

    @Test("a value that msgpack cannot represent is refused")
    func unwritable() {
        var deep = ChannelsValue.null
        for _ in 0..<1024 { deep = .array([deep]) }
        #expect(throws: Never.self) { try MessagePackWriter.encode(deep) }
        let cases: [(ChannelsValue, ChannelsCodecError)] = [
            (.array([deep]), .tooDeep), (.digits("18446744073709551616"), .unsupported),
            (.map([.init(.int(1), .null)]), .invalidKey),
        ]
        for (value, error) in cases {
            #expect(throws: error) { try MessagePackWriter.encode(value) }
        }
    }

    @Test("a container that announces too many elements takes no memory")
    func announcements() {
        #expect(throws: ChannelsCodecError.truncated) {
            try MessagePackReader.decode([0xDF, 0xFF, 0xFF, 0xFF, 0xFF])
        }
        #expect(throws: ChannelsCodecError.truncated) {
            try MessagePackReader.decode([0xC6, 0xFF, 0xFF, 0xFF, 0xFF])
        }
    }

    @Test("JSON is written as by Python, and read back")
    func encodeJSON() throws {
        let inOurNotation: [String: ChannelsValue] = [
            "int_key_becomes_string": .object(["type": .text("x"), "1": .int(4), "null": .int(3)]),
            "non_finite_not_valid_json": .object([
                "type": .text("x"), "v": .array([.double(.nan), .double(.infinity), .double(-.infinity)]),
            ]),
        ]
        for entry in try vectors.list("json", "encode") {
            let name = entry["name"] as? String ?? ""
            let bytes = try Vectors.bytes(entry)
            if name == "lone_surrogate" {
                #expect(try PythonJSONReader.decode(bytes)["v"] == .text("\u{FFFD}"))
                continue
            }
            let value = try inOurNotation[name] ?? Vectors.value(entry["value"])
            #expect(try PythonJSONWriter.encode(value) == bytes, "\(name)")
            #expect(try PythonJSONReader.decode(bytes).normal == value.normal, "\(name)")
        }
    }

    @Test("JSON that Python does not write is read as by Python")
    func decodeJSON() throws {
        for entry in try vectors.list("json", "decode_only") {
            let value = try PythonJSONReader.decode(try Vectors.bytes(entry))
            #expect(value.normal == (try Vectors.value(entry["value"])).normal, "\(entry["name"] ?? "")")
        }
    }

    @Test("JSON that Python refuses is refused")
    func rejectJSON() throws {
        for entry in try vectors.list("json", "reject") {
            let bytes = try Vectors.bytes(entry)
            #expect(throws: ChannelsCodecError.self, "\(entry["name"] ?? "")") { try PythonJSONReader.decode(bytes) }
        }
        for text in ["[1,]", "{\"a\":1,}", "01", "1.", "-", "[", "\"\\x\"", "\"\\u12", "nul", "1e"] {
            #expect(throws: ChannelsCodecError.self, "\(text)") { try PythonJSONReader.decode(Array(text.utf8)) }
        }
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: ChannelsCodecError.tooDeep) { try PythonJSONReader.decode(Array(deep.utf8)) }
    }

    @Test("poison is not an event and does no harm")
    func poison() throws {
        let codec = ChannelsCodec(ChannelsSettings())
        for entry in try vectors.list("poison_for_django_consumers", "vectors") {
            let name = entry["name"] as? String ?? ""
            let bytes = try Vectors.bytes(entry)
            // A reader of both formats may understand these two; whether a consumer handles the type cannot be known
            // here.
            guard !["json_text", "unknown_handler"].contains(name) else { continue }
            #expect(throws: ChannelsCodecError.self, "\(name)") { try codec.decodeEvent(bytes) }
        }
    }
}
