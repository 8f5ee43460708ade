import Foundation
import ParleyModel

/// The files of `parley chat` for a user of a server: the session token, and the database with outbox and cache.
///
/// The folder is readable for its owner only.
struct ChatFolder: Sendable {
    let path: String

    var databasePath: String { path + "/chat.db" }
    var tokenPath: String { path + "/session" }

    /// - Parameter environment: `XDG_STATE_HOME`, otherwise `HOME`.
    init(server: ChatServer, user: String, environment: [String: String]) {
        let home = environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
        path = "\(state)/parley/\(Self.name(server.folderName))/\(Self.name(user))"
    }

    /// Creates the folder if it is missing.
    /// - Throws: ``ChatFailure``.
    func create() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        } catch {
            throw ChatFailure("cannot use the folder \(path): \(error.localizedDescription)")
        }
    }

    /// The token of the last login; `nil` if there is none, or if the file contains something else.
    func token() -> String? {
        guard let data = FileManager.default.contents(atPath: tokenPath) else { return nil }
        let token = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return Self.isToken(token) ? token : nil
    }

    /// Whether a text can be a token: a header field carries it.
    static func isToken(_ text: String) -> Bool {
        (1...16_384).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Replaces the token at once, with mode 0600.
    /// - Throws: ``ChatFailure``.
    func keep(token: String) throws {
        try create()
        let temporary = "\(tokenPath).\(getpid())"
        unlink(temporary)
        let file = Foundation.open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        let bytes = Array("\(token)\n".utf8)
        let isWritten = file >= 0 && write(file, bytes, bytes.count) == bytes.count
        if file >= 0 { close(file) }
        guard isWritten, rename(temporary, tokenPath) == 0 else {
            unlink(temporary)
            throw ChatFailure("cannot write \(tokenPath): \(String(cString: strerror(errno)))")
        }
    }

    func removeToken() { unlink(tokenPath) }

    /// Removes the session and the messages.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// A name of a file for any text: letters, digits and a few others stay, so that people find it.
    static func name(_ text: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_@+.:[]".utf8)
        let encoded = text.utf8.enumerated().map { offset, byte in
            plain.contains(byte) && !(offset == 0 && byte == UInt8(ascii: "."))
                ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }.joined()
        guard encoded.utf8.count > 200 else { return encoded }
        // The whole text decides, where only its beginning fits.
        return encoded.prefix(180) + "%" + FNV1a128.hex(of: text)
    }
}
