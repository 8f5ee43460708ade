import CPostgres
import ParleyModel
import ParleyStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A session with a PostgreSQL server. Not `Sendable`: it is only used on its owner's thread, which its calls block.
///
/// Calls use libpq's pipeline mode; all calls of one `run` are sent in one packet. Every wait has a limit: if the
/// server is stopped or silently cut off, a call fails, but the thread never hangs.
package final class PostgresConnection {
    private let handle: OpaquePointer
    private let replyLimit: Duration
    /// The maximum execution time on the server of each statement in the calls that begin while it is set; `nil`
    /// selects the limit of the session.
    package var statementLimit: Duration?
    /// The server-side names of the prepared statements, by SQL text.
    private var names: [String: String] = [:]
    private var statements = 0
    /// Whether the protocol is out of sync, so that the connection is no longer usable.
    private var isBroken = false
    private var lastError: String?

    /// Connects and configures the session. Blocks for at most `connectLimit` per host.
    package init(_ settings: PostgresSettings) throws(PostgresError) {
        let (keys, values) = settings.parameters
        let handle = CStrings.with(keys) { keys in
            CStrings.with(values) { values in PQconnectdbParams(keys, values, 1) }
        }
        guard let handle else { throw .lost("no memory for a connection") }
        guard PQstatus(handle) == CONNECTION_OK else {
            let message = Self.line(PQerrorMessage(handle))
            PQfinish(handle)
            throw .lost(message)
        }
        self.handle = handle
        self.replyLimit = settings.replyLimit
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        PQsetnonblocking(handle, 1)
        let blocks = settings.contentKey?.blocks
        try run([
            Self.setUp(
                .text("\(settings.statementLimit.milliseconds)ms"), .text(Hex.encode(blocks?.inner ?? [])),
                .text(Hex.encode(blocks?.outer ?? [])))
        ])
    }

    deinit { PQfinish(handle) }

    /// The settings of a session:
    /// - A transaction left open by a node that stopped must not keep its locks indefinitely.
    /// - Every statement finds its rows through an index. The planner must not choose a sequential scan because a table
    ///   was small when it was last analysed, nor JIT-compile a statement that takes a millisecond.
    /// - A trigger computes the digests of deleted messages (`Migration.messages`). The key is a session setting, and
    ///   is not stored in the database.
    private static let setUp = Statement(
        """
        SELECT set_config('statement_timeout', $1, false),
            set_config('idle_in_transaction_session_timeout', $1, false),
            set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
            set_config('enable_mergejoin', 'off', false), set_config('jit', 'off', false),
            set_config('parley.digest_inner', $2, false), set_config('parley.digest_outer', $3, false)
        """, isKept: false)

    /// Sets the maximum time for the following statements, until the end of the transaction.
    private static let limitStatements = Statement("SELECT set_config('statement_timeout', $1, true)")

    /// Whether the connection is intact and no transaction is open, so that it can take another call.
    ///
    /// Detects what the server has sent since the last call, such as the notice of a shutdown. Costs a system call but
    /// no round trip.
    package var isReady: Bool {
        guard !isBroken, PQstatus(handle) == CONNECTION_OK else { return false }
        // A server that ends the session sends the reason before it closes the connection. Both must be read.
        while canRead() {
            guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else { return false }
        }
        return PQtransactionStatus(handle) == PQTRANS_IDLE
    }

    /// The reason for the loss of the connection, in one line.
    package var lossReason: String { lastError ?? Self.line(PQerrorMessage(handle)) }

    /// Cleans up after a failed call by rolling back an open transaction.
    /// - Returns: whether the connection is usable again.
    package func recover() -> Bool {
        if !isBroken, [PQTRANS_INTRANS, PQTRANS_INERROR].contains(PQtransactionStatus(handle)) {
            _ = try? run([Statement.rollback()])
        }
        return isReady
    }

    /// Runs statements in order, in one round trip.
    ///
    /// The statements form one transaction, unless a `BEGIN` precedes them or is among them. After the first failure, the
    /// server skips the remaining statements.
    /// - Returns: the reply to each call.
    @discardableResult
    package func run(_ calls: [Call]) throws(PostgresError) -> [Rows] {
        guard !isBroken else { throw .lost("the connection is closed") }
        guard PQenterPipelineMode(handle) == 1 else { throw broken() }
        var steps: [Step] = []
        let limit = statementLimit.map { Self.limitStatements(.text("\(max(1, $0.milliseconds))ms")) }
        if let limit { try send(limit, &steps) }
        for call in calls { try send(call, &steps) }
        guard PQpipelineSync(handle) == 1 else { throw broken() }
        let deadline = ContinuousClock.now + replyLimit
        try flush(until: deadline)
        var replies: [Rows] = []
        var failure: PostgresError?
        for step in steps {
            do {
                let rows = try reply(until: deadline)
                switch step {
                case .prepare(let sql, let name): names[sql] = name
                case .execute: replies.append(rows)
                }
            } catch {
                // A server that ends the session sends the reason before it closes the connection.
                if isBroken { throw failure.map(broken) ?? error }
                failure = failure ?? error
            }
        }
        do throws(PostgresError) {
            try finish(until: deadline)
        } catch {
            throw failure.map(broken) ?? error
        }
        if let failure { throw failure }
        if limit != nil { replies.removeFirst() }
        return replies
    }

    // MARK: Sending

    private enum Step {
        case prepare(sql: String, name: String)
        case execute
    }

    private func send(_ call: Call, _ steps: inout [Step]) throws(PostgresError) {
        let sql = call.statement.sql
        let buffer = ParameterBuffer(call.parameters)
        guard call.statement.isKept else {
            let sent = buffer.withPointers { count, values, lengths, formats in
                PQsendQueryParams(handle, sql, count, buffer.oids, values, lengths, formats, 1)
            }
            guard sent == 1 else { throw broken() }
            steps.append(.execute)
            return
        }
        let prepared = steps.lazy.compactMap { if case .prepare(sql, let name) = $0 { name } else { nil } }.first
        var name = names[sql] ?? prepared
        if name == nil {
            statements += 1
            let new = "parley_\(statements)"
            guard PQsendPrepare(handle, new, sql, Int32(buffer.oids.count), buffer.oids) == 1 else { throw broken() }
            steps.append(.prepare(sql: sql, name: new))
            name = new
        }
        let sent = buffer.withPointers { count, values, lengths, formats in
            PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
        }
        guard sent == 1 else { throw broken() }
        steps.append(.execute)
    }

    private func flush(until deadline: ContinuousClock.Instant) throws(PostgresError) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                // The server may have stopped reading because its replies were not read.
                try wait(for: POLLIN | POLLOUT, until: deadline)
                guard PQconsumeInput(handle) == 1 else { throw broken() }
            default: throw broken()
            }
        }
    }

    // MARK: Receiving

    /// Reads the reply to one step: a result, and the `NULL` that follows it.
    private func reply(until deadline: ContinuousClock.Instant) throws(PostgresError) -> Rows {
        guard let result = try next(until: deadline) else { throw broken() }
        let rows = Rows(owning: result)
        // Nothing follows an error that is fatal to the connection.
        guard PQstatus(handle) == CONNECTION_OK else { throw broken(rows.failure) }
        do throws(PostgresError) {
            guard try next(until: deadline) == nil else { throw broken() }
        } catch {
            throw rows.failure.map(broken) ?? error
        }
        if let failure = rows.failure { throw failure }
        return rows
    }

    /// Reads the result that ends the pipeline.
    private func finish(until deadline: ContinuousClock.Instant) throws(PostgresError) {
        guard let result = try next(until: deadline) else { throw broken() }
        let status = PQresultStatus(result)
        PQclear(result)
        guard status == PGRES_PIPELINE_SYNC, PQexitPipelineMode(handle) == 1 else { throw broken() }
    }

    private func next(until deadline: ContinuousClock.Instant) throws(PostgresError) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            try wait(for: POLLIN, until: deadline)
            guard PQconsumeInput(handle) == 1 else { throw broken() }
        }
        return PQgetResult(handle)
    }

    private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(PostgresError) {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        while true {
            let left = max(0, ContinuousClock.now.duration(to: deadline).milliseconds)
            let ready = poll(&descriptor, 1, Int32(clamping: left))
            if ready > 0 { return }
            guard ready == -1, errno == EINTR else {
                throw broken(.lost("no answer within \(replyLimit)"))
            }
        }
    }

    private func canRead() -> Bool {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    // MARK: Errors

    private func broken() -> PostgresError { broken(nil) }

    /// Marks the connection as unusable, and returns the error to throw.
    /// - Parameter error: the cause, if it is more specific than libpq's message.
    private func broken(_ error: PostgresError?) -> PostgresError {
        isBroken = true
        let message = error?.message ?? Self.line(PQerrorMessage(handle))
        lastError = message
        // Prefers the server's reason for ending the session, such as 57P01.
        return error?.isPassing == true ? error ?? .lost(message) : .lost(message)
    }

    private static func line(_ text: UnsafePointer<CChar>?) -> String {
        PostgresError.line(text) ?? "the connection is closed"
    }
}

extension ParameterBuffer {
    /// Calls `body` with the values in the form that libpq expects. The pointers are only valid during the call.
    fileprivate func withPointers(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Int32
    ) -> Int32 {
        // An empty value needs a non-null pointer too, since a null pointer means NULL.
        (bytes + [0]).withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: CChar.self).baseAddress
            let values = ranges.map { range in range.flatMap { range in start.map { $0 + range.lowerBound } } }
            let lengths = ranges.map { Int32(truncatingIfNeeded: $0?.count ?? 0) }
            let formats = ranges.map { _ in 1 as Int32 }
            return body(Int32(ranges.count), values, lengths, formats)
        }
    }
}
