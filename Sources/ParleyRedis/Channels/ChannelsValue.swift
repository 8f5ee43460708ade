/// A value of Python that can travel in a channel layer.
package indirect enum ChannelsValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    /// Above `Int64.max`.
    case uint(UInt64)
    /// An integer beyond 64 bits, in decimal; only JSON has it.
    case digits(String)
    case double(Double)
    case text(String)
    case bytes([UInt8])
    case array([ChannelsValue])
    /// In order; the keys are texts or bytes.
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

    /// How deep containers may lie in each other, as Python's msgpack has it.
    package static var maximumDepth: Int { 1024 }

    /// A map with text keys.
    package static func object(_ entries: KeyValuePairs<String, ChannelsValue>) -> ChannelsValue {
        .map(entries.map { Entry(.text($0.key), $0.value) })
    }

    /// An integer in its only form.
    package static func integer(_ value: UInt64) -> ChannelsValue {
        Int64(exactly: value).map { .int($0) } ?? .uint(value)
    }

    /// The value of a text key, the last one if there are several.
    package subscript(key: String) -> ChannelsValue? {
        guard case .map(let entries) = self else { return nil }
        return entries.last { $0.key == .text(key) }?.value
    }

    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    package var integer: Int64? {
        if case .int(let value) = self { value } else { nil }
    }
}
