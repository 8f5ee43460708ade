import ArgumentParser
import ParleyAccounts
import ParleyModel

/// `parley admin create-key`
struct CreateKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create an API key for a back end. It is shown once.")

    @Argument(help: "Name of the key: 1 to 64 characters of A-Z a-z 0-9 . _ -")
    var name: String

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        guard APIKeys.isName(name) else {
            throw ValidationError("invalid name; expected 1 to 64 characters of A-Z a-z 0-9 . _ -")
        }
        try await flags.withDatabase { database in
            let (key, hash) = APIKeys.make()
            do {
                try await database.createAPIKey(
                    APIKeyRecord(name: name, hash: hash, created: WallClock.system.milliseconds))
            } catch StoreError.taken {
                throw ValidationError("a key with this name exists; revoke it first")
            }
            print("key: \(key)")
        }
    }
}

/// `parley admin revoke-key`
struct RevokeKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Revoke an API key that create-key created.")

    @Argument(help: "Name of the key.")
    var name: String

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        try await flags.withDatabase { database in
            guard try await database.revokeAPIKey(named: name) else {
                throw ValidationError(
                    "no stored key is named \(name); to revoke a key of PARLEY_API_KEYS, remove it from that setting")
            }
        }
    }
}
