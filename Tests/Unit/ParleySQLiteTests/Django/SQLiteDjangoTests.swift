import Foundation
import GRDB
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import Synchronization
import Testing

@Suite("A Django site's SQLite file")
struct SQLiteDjangoTests {
    final class Site: DjangoDatabase {
        private let file: SQLiteTestDatabase
        private let opened = Mutex<[SQLiteDjango]>([])

        private init(_ file: SQLiteTestDatabase) {
            self.file = file
        }

        static func uuid(_ text: String) -> (type: String, value: String) {
            ("char(32)", "'\(text.replacing("-", with: ""))'")
        }

        static func make() async throws -> Site {
            let site = Site(try SQLiteTestDatabase())
            try await site.run("PRAGMA user_version = 1")
            return site
        }

        func run(_ sql: String) async throws {
            try await file.connection().write { try $0.execute(sql: sql) }
        }

        func open(_ model: DjangoUserModel) async throws -> any DjangoDirectory {
            let directory = try SQLiteDjango(path: file.path, model: model)
            opened.withLock { $0.append(directory) }
            return directory
        }

        func remove() async throws {
            for directory in opened.withLock({ $0 }) { await directory.close() }
            try await file.remove()
        }
    }

    @Test("the contract of Django directories is satisfied", arguments: DjangoDirectoryFact.allCases)
    func contract(_ fact: DjangoDirectoryFact) async throws {
        try await fact.check(on: Site.self)
    }

    @Test("a missing file is named")
    func noFile() throws {
        let file = try SQLiteTestDatabase()
        defer { try? FileManager.default.removeItem(at: file.directory) }
        #expect {
            _ = try SQLiteDjango(path: file.path, model: .standard)
        } throws: { error in
            if case StoreError.unavailable(let reason) = error { reason.contains(file.path) } else { false }
        }
    }
}
