import ParleyAccounts

/// The secret of a single node that was given none: made once, and kept beside the database, so that tickets outlive a
/// restart.
enum KeptSecret {
    static func read(besides databasePath: String) throws(SettingFlaw) -> Secret {
        let path = databasePath + ".secret"
        do {
            let text = try TextFile.readOrMake(path) {
                var generator = SystemRandomNumberGenerator()
                return (0..<4).map { _ in String(generator.next() as UInt64, radix: 36) }.joined()
                    .padding(toLength: 52, with: "0")
            }
            return Secret(text: text)
        } catch {
            throw SettingFlaw(
                setting: "PARLEY_SECRET",
                explanation: "is not set, and none can be kept in \(path); set it, or make that directory writable")
        }
    }
}

extension String {
    fileprivate func padding(toLength length: Int, with character: Character) -> String {
        self + String(repeating: String(character), count: max(0, length - count))
    }
}
