import Hummingbird
import NIOCore
import ParleyAccounts
import ParleyMessaging
import ParleyModel

/// Processes an import of any size while it arrives, in batches of lines.
///
/// A batch is one transaction. Only one batch and the report are held in memory; a fast sender is slowed down by TCP.
/// If the database becomes unavailable, the call fails; earlier batches are imported, and the same import may be
/// repeated. New members' live sockets are notified; no event enters a log
/// (docs/decisions/009-imports-write-no-events.md).
struct BulkImport: Sendable {
    /// Maximum number of lines in a batch.
    private static let batchLines = 500
    /// Maximum number of passwords being hashed or waiting to be.
    private static let hashing = 4

    let services: RESTServices

    /// - Throws: `BrokenBody` if the body is cut off; errors of the database or the password workers.
    func run(_ body: RequestBody) async throws -> ImportReport {
        var report = ImportReport()
        var splitter = ImportLineSplitter()
        var batch: [ImportLine] = []
        var pieces = body.makeAsyncIterator()
        while let piece = try await Self.next(&pieces) {
            for line in splitter.lines(in: piece) {
                take(line, &batch, &report)
                if batch.count == Self.batchLines { try await write(&batch, &report) }
            }
        }
        if let line = splitter.last() { take(line, &batch, &report) }
        try await write(&batch, &report)
        return report
    }

    private static func next(_ pieces: inout RequestBody.AsyncIterator) async throws -> ByteBuffer? {
        do {
            return try await pieces.next()
        } catch {
            throw BrokenBody(cause: error)
        }
    }

    private func take(_ line: ImportLineSplitter.Line, _ batch: inout [ImportLine], _ report: inout ImportReport) {
        do throws(APIError) {
            guard let bytes = line.bytes else {
                throw APIError(.tooLarge, "the line is longer than \(ImportLineSplitter.maximumLength) bytes")
            }
            if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t") }) {
                return
            }
            batch.append(
                try ImportLine(number: line.number, bytes: bytes, reference: services.ports.directory.reference))
        } catch {
            report.note(error, line: line.number)
        }
    }

    private func write(_ batch: inout [ImportLine], _ report: inout ImportReport) async throws {
        guard !batch.isEmpty else { return }
        try await hashPasswords(&batch)
        // A deleted room may be created again under its id; nothing of the old one may appear in it.
        try await services.changes.ensureRemoved(
            batch.compactMap { if case .room(let id, _) = $0.record { id } else { nil } })
        let outcomes = try await services.ports.accounts.importRecords(
            batch.map(\.record), origin: .apiKey, at: services.clock.milliseconds)
        for (line, outcome) in zip(batch, outcomes) {
            report.count(outcome, of: line)
            announce(outcome, of: line.record)
        }
        batch = []
    }

    /// Invalidates what is cached of the users, here and on nodes with their sockets.
    private func announce(_ outcome: ImportOutcome, of record: ImportRecord) {
        switch (outcome, record) {
        case (.added, .user(let user, _)): services.ports.directory.forget(user: user)
        case (.joined(let user, let membership, let after), _):
            services.ports.bus.publish(.added(membership, after: after), to: user.id)
        default: break
        }
    }

    /// Hashes the passwords of new users only: existing users keep theirs, and hashing is slow.
    private func hashPasswords(_ batch: inout [ImportLine]) async throws {
        var newcomers = try await newcomers(batch)[...]
        let login = services.auth.login
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (index, password) in newcomers.prefix(Self.hashing) {
                group.addTask { (index, try await login.hash(password)) }
            }
            newcomers = newcomers.dropFirst(Self.hashing)
            while let (index, hash) = try await group.next() {
                if case .user(let user, _) = batch[index].record {
                    batch[index].record = .user(user, passwordHash: hash)
                }
                guard let (index, password) = newcomers.popFirst() else { continue }
                group.addTask { (index, try await login.hash(password)) }
            }
        }
    }

    /// The batch indexes of new users with a password; looked up concurrently, so that it is one query.
    private func newcomers(_ batch: [ImportLine]) async throws -> [(index: Int, password: String)] {
        let directory = services.ports.directory
        return try await withThrowingTaskGroup(of: (index: Int, password: String)?.self) { group in
            for (index, line) in batch.enumerated() {
                guard case .user(let user, _) = line.record, let password = line.password else { continue }
                group.addTask { try await directory.user(user.id) == nil ? (index, password) : nil }
            }
            return try await group.reduce(into: []) { if let newcomer = $1 { $0.append(newcomer) } }
        }
    }
}
