import Foundation
import ParleyAccounts

/// Small files that settings name.
enum TextFile {
    /// - Throws: a flaw of `setting` that names the file.
    static func read(_ path: String, setting: String) throws(SettingFlaw) -> String {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw SettingFlaw(setting: setting, explanation: "the file \(path) cannot be read as UTF-8 text")
        }
    }

    /// Reads a file, or makes it with `content` so that only this user can read it.
    static func readOrMake(_ path: String, content: () -> String) throws -> String {
        if FileManager.default.fileExists(atPath: path) {
            return try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let made = content()
        let isMade = FileManager.default.createFile(
            atPath: path, contents: Data(made.utf8), attributes: [.posixPermissions: 0o600])
        guard isMade else { throw CocoaError(.fileWriteUnknown) }
        return made
    }
}
