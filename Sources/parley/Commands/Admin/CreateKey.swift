import ArgumentParser
import ParleyAccounts
import ParleyModel

/// `parley admin create-key`
struct CreateKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make an API key for a back end; it is shown once.")

    @Argument(help: "What it is for: 1 to 64 characters of A-Z a-z 0-9 . _ -")
    var name: String

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        guard APIKeys.isName(name) else { throw ValidationError("a name has 1 to 64 of A-Z a-z 0-9 . _ -") }
        try await flags.withDatabase { database in
            let key = APIKeys.prefix + SessionTokens.make().token
            do {
                try await database.createAPIKey(
                    APIKeyRecord(
                        name: name, hash: SessionTokens.hash(of: key), created: WallClock.system.milliseconds))
            } catch StoreError.taken {
                throw ValidationError("there is a key of this name; revoke it first")
            }
            print("key: \(key)")
        }
    }
}

/// `parley admin revoke-key`
struct RevokeKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "End an API key that create-key has made.")

    @Argument(help: "Its name.")
    var name: String

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        try await flags.withDatabase { database in
            guard try await database.revokeAPIKey(named: name) else {
                throw ValidationError("there is no stored key \(name); those of PARLEY_API_KEYS end with that setting")
            }
        }
    }
}
