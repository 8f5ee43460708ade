import Foundation

/// Secret bytes, which always print as `<secret>`.
package struct Secret: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The UTF-8 bytes of a text.
    package init(text: String) {
        bytes = Array(text.utf8)
    }

    /// The bytes of a text, or, after the prefix `base64:`, the decoded rest (standard alphabet, padded).
    /// - Throws: `SettingError` if it is empty or not base64.
    package init(setting: String, value: String) throws(SettingError) {
        let prefix = "base64:"
        guard value.hasPrefix(prefix) else {
            guard !value.isEmpty else {
                throw SettingError(setting: setting, explanation: "is empty; expected a text, or base64: and base64")
            }
            self.init(text: value)
            return
        }
        guard let data = Data(base64Encoded: String(value.dropFirst(prefix.count))), !data.isEmpty else {
            throw SettingError(
                setting: setting, explanation: "the part after base64: is not base64 (standard alphabet, with padding)")
        }
        self.init(bytes: Array(data))
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
