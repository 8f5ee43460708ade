import ParleyAccounts

/// The secret of a single node without a configured one: generated once and stored beside the database, so that tickets
/// survive a restart.
enum KeptSecret {
    static func path(besides database: String) -> String { database + ".secret" }

    /// Reads the secret, and creates it if there is none.
    static func read(besides database: DatabaseAddress) throws(SettingError) -> Secret {
        let path = try path(of: database)
        do {
            return Secret(text: try TextFile.readOrMake(path, content: make))
        } catch {
            throw unusable(path)
        }
    }

    /// Reads the secret without creating one. If there is none, the result is a fresh secret that is not kept.
    static func peek(besides database: DatabaseAddress) throws(SettingError) -> Secret {
        let path = try path(of: database)
        do {
            return Secret(text: try TextFile.readIfAny(path) ?? make())
        } catch {
            throw unusable(path)
        }
    }

    private static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in String(generator.next() as UInt64, radix: 36) }.joined()
            .padding(toLength: 52, with: "0")
    }

    private static func unusable(_ path: String) -> SettingError {
        SettingError(
            setting: "PARLEY_SECRET",
            explanation: "is not set, and \(path) cannot be written; set it, or make that directory writable")
    }

    private static func path(of database: DatabaseAddress) throws(SettingError) -> String {
        guard case .sqlite(let databasePath) = database else {
            throw SettingError(
                setting: "PARLEY_SECRET",
                explanation: "is required with PostgreSQL; set the same string of at least 32 bytes on all nodes, "
                    + "e.g. one from openssl rand -hex 32")
        }
        return path(besides: databasePath)
    }
}

extension String {
    fileprivate func padding(toLength length: Int, with character: Character) -> String {
        self + String(repeating: String(character), count: max(0, length - count))
    }
}
