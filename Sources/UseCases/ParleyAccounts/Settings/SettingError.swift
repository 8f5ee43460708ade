/// The reason that a setting is unusable; aborts the start.
package struct SettingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting's name, e.g. `PARLEY_API_KEYS`.
    package let setting: String
    /// The error and the allowed values; never contains the secret.
    package let explanation: String

    package init(setting: String, explanation: String) {
        self.setting = setting
        self.explanation = explanation
    }

    package var description: String { "\(setting): \(explanation)" }
}
