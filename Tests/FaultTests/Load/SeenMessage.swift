/// The fields of a message that the checker compares, cut out of its JSON.
///
/// Not a JSON parser: it relies on ids and texts of the load having no escapes, and is a tenth of the cost of one.
struct SeenMessage {
    let thread: String
    let epoch: String
    let seq: Int64
    let text: String

    init?(_ json: [UInt8]) {
        guard let thread = Self.string("thread_id", in: json), let epoch = Self.string("epoch", in: json),
            let text = Self.string("text", in: json), let seq = Self.number("seq", in: json)
        else { return nil }
        self.thread = thread
        self.epoch = epoch
        self.seq = seq
        self.text = text
    }

    private static func string(_ name: String, in json: [UInt8]) -> String? {
        guard let start = end(of: "\"\(name)\":\"", in: json),
            let end = json[start...].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return String(decoding: json[start..<end], as: UTF8.self)
    }

    private static func number(_ name: String, in json: [UInt8]) -> Int64? {
        guard let start = end(of: "\"\(name)\":", in: json) else { return nil }
        let digits = json[start...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// The index behind `key`.
    private static func end(of key: String, in json: [UInt8]) -> Int? {
        let key = Array(key.utf8)
        guard json.count >= key.count else { return nil }
        var index = 0
        while index <= json.count - key.count {
            if json[index] == key[0], json[index..<(index + key.count)].elementsEqual(key) { return index + key.count }
            index += 1
        }
        return nil
    }
}
