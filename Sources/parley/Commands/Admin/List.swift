import ArgumentParser
import ParleyModel

/// `parley admin list`
struct List: AsyncParsableCommand {
    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case users
        case threads
        case keys
        case operators
    }

    static let configuration = CommandConfiguration(
        abstract: "List users, rooms, API keys or operators: id and name, a line each.",
        discussion: "`operators` are those whom grant-operator has made.")

    @Argument(help: "\(Subject.allCases.map(\.rawValue).joined(separator: ", "))")
    var subject: Subject

    @Option(help: "Only those whose name begins with it.")
    var prefix = ""

    @Option(help: "The most lines: 1 to 100000.")
    var limit = 1000

    @OptionGroup var flags: DatabaseFlags

    private static let maximum = 100_000

    func validate() throws {
        guard (1...Self.maximum).contains(limit) else {
            throw ValidationError("--limit allows 1 to \(Self.maximum)")
        }
    }

    func run() async throws {
        try await flags.withDatabase { database in
            switch subject {
            case .users:
                for user in try await database.users(prefix: prefix, limit: limit) { print("\(user.id)\t\(user.name)") }
            case .threads:
                for thread in try await database.threads(prefix: prefix, limit: limit) {
                    print("\(thread.id)\t\(thread.title)")
                }
            case .keys:
                let keys = try await database.apiKeys(limit: Self.maximum).filter { $0.name.hasPrefix(prefix) }
                for key in keys.prefix(limit) {
                    print("\(key.hash.text.prefix(12))…\t\(key.name)")
                }
            case .operators:
                let users = try await database.operators(limit: Self.maximum).filter { $0.name.hasPrefix(prefix) }
                for user in users.prefix(limit) {
                    print("\(user.id)\t\(user.name)")
                }
            }
        }
    }
}
