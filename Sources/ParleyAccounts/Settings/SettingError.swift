/// Why a setting is unusable; aborts the start.
package struct SettingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting's name, e.g. `PARLEY_API_KEYS`.
    package let setting: String
    /// What is wrong and what is allowed; never contains the secret.
    package let explanation: String

    package init(setting: String, explanation: String) {
        self.setting = setting
        self.explanation = explanation
    }

    package var description: String { "\(setting): \(explanation)" }
}
