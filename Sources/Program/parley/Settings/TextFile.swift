import Foundation
import ParleyAccounts
import ParleySQLite

/// Small text files whose paths are settings.
enum TextFile {
    /// - Throws: an error of `setting` that names the file.
    static func read(_ path: String, setting: String) throws(SettingError) -> String {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw SettingError(setting: setting, explanation: "\(path) cannot be read as UTF-8 text")
        }
    }

    /// Reads a file, or creates it with `content`, readable by this user only; of several processes that create it at
    /// once one wins.
    static func readOrMake(_ path: String, content: () -> String) throws -> String {
        if !FileManager.default.fileExists(atPath: path) {
            let made = content()
            if PrivateFile.make(path, content: made) { return made }
        }
        return try trimmed(path)
    }

    /// Reads a file; `nil` if there is none.
    static func readIfAny(_ path: String) throws -> String? {
        FileManager.default.fileExists(atPath: path) ? try trimmed(path) : nil
    }

    private static func trimmed(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
