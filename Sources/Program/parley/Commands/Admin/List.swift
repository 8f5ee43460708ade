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

    /// The kinds of threads that can be listed. A direct thread has no title, so none is found by a prefix.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case room
    }

    static let configuration = CommandConfiguration(
        abstract: "List users, threads, API keys or operators, one per line: id and name or title.",
        discussion: """
            `threads` lists the threads of the given --kind. Direct threads have no title and cannot be listed. \
            `operators` lists the users with the right from grant-operator.
            """)

    @Argument(help: "What to list: \(Subject.allCases.map(\.rawValue).joined(separator: ", ")).")
    var subject: Subject

    @Option(help: "Kind of the threads to list: \(Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var kind: Kind?

    @Option(help: "List only entries whose name or title begins with this text.")
    var prefix = ""

    @Option(help: "Maximum number of lines, 1 to 100000.")
    var limit = 1000

    @OptionGroup var flags: DatabaseFlags

    private static let maximum = 100_000

    func validate() throws {
        guard (1...Self.maximum).contains(limit) else {
            throw ValidationError("--limit must be 1 to \(Self.maximum)")
        }
        guard kind == nil || subject == .threads else { throw ValidationError("--kind applies to threads only") }
    }

    func run() async throws {
        try await flags.withDatabase { database in
            switch subject {
            case .users:
                for user in try await database.users(prefix: prefix, limit: limit) { print("\(user.id)\t\(user.name)") }
            case .threads:
                for room in try await database.threads(prefix: prefix, limit: limit) {
                    print("\(room.id)\t\(room.title)\t\(room.visibility.rawValue)")
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
