import ParleyAccounts

/// The secret of a single node without a configured one: generated once and stored beside the database, so that tickets
/// survive a restart.
enum KeptSecret {
    static func path(besides database: String) -> String { database + ".secret" }

    static func read(besides database: DatabaseAddress) throws(SettingError) -> Secret {
        guard case .sqlite(let databasePath) = database else {
            throw SettingError(
                setting: "PARLEY_SECRET",
                explanation: "is required with PostgreSQL; set the same string of at least 32 bytes on all nodes, "
                    + "e.g. one from openssl rand -hex 32")
        }
        let path = path(besides: databasePath)
        do {
            let text = try TextFile.readOrMake(path) {
                var generator = SystemRandomNumberGenerator()
                return (0..<4).map { _ in String(generator.next() as UInt64, radix: 36) }.joined()
                    .padding(toLength: 52, with: "0")
            }
            return Secret(text: text)
        } catch {
            throw SettingError(
                setting: "PARLEY_SECRET",
                explanation: "is not set, and \(path) cannot be written; set it, or make that directory writable")
        }
    }
}

extension String {
    fileprivate func padding(toLength length: Int, with character: Character) -> String {
        self + String(repeating: String(character), count: max(0, length - count))
    }
}
