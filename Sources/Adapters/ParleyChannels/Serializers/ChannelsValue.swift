/// A Python value that a channel layer can carry.
package enum ChannelsValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    /// An integer above `Int64.max`.
    case uint(UInt64)
    /// An integer beyond 64 bits, in decimal; JSON only.
    case digits(String)
    case double(Double)
    case text(String)
    case bytes([UInt8])
    case array([ChannelsValue])
    /// The entries in order; keys are texts or bytes.
    case map([Entry])
    /// A msgpack extension; −1 is a timestamp.
    case ext(Int8, [UInt8])

    /// A key and its value.
    package struct Entry: Hashable, Sendable {
        package var key: ChannelsValue
        package var value: ChannelsValue

        package init(_ key: ChannelsValue, _ value: ChannelsValue) {
            self.key = key
            self.value = value
        }
    }

    /// The maximum nesting depth of containers, as in Python's msgpack.
    package static var maximumDepth: Int { 1024 }

    /// Returns a map with text keys.
    package static func object(_ entries: KeyValuePairs<String, ChannelsValue>) -> ChannelsValue {
        .map(entries.map { Entry(.text($0.key), $0.value) })
    }

    /// Returns an integer in its canonical case.
    package static func integer(_ value: UInt64) -> ChannelsValue {
        Int64(exactly: value).map { .int($0) } ?? .uint(value)
    }

    /// The value of a text key; the last one if the key occurs several times.
    package subscript(key: String) -> ChannelsValue? {
        guard case .map(let entries) = self else { return nil }
        return entries.last { if case .text(key) = $0.key { true } else { false } }?.value
    }

    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    package var integer: Int64? {
        if case .int(let value) = self { value } else { nil }
    }
}
