import Foundation
import ParleyAccounts
import ParleyModel
import ParleySQLite

/// Small files that settings name.
enum TextFile {
    /// - Throws: a flaw of `setting` that names the file.
    static func read(_ path: String, setting: String) throws(SettingError) -> String {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw SettingError(setting: setting, explanation: "the file \(path) cannot be read as UTF-8 text")
        }
    }

    /// Reads a file, or makes it with `content` so that only this user can read it; of several who make it at once one
    /// makes it for all.
    static func readOrMake(_ path: String, content: () -> String) throws -> String {
        if !FileManager.default.fileExists(atPath: path) {
            let made = content()
            if PrivateFile.make(path, content: made) { return made }
        }
        return try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
