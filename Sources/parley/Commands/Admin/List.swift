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

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit allows 1 to 100000") }
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
                for key in try await database.apiKeys(limit: limit) where key.name.hasPrefix(prefix) {
                    print("\(key.hash.text.prefix(12))…\t\(key.name)")
                }
            case .operators:
                for user in try await database.operators(limit: limit) where user.name.hasPrefix(prefix) {
                    print("\(user.id)\t\(user.name)")
                }
            }
        }
    }
}
