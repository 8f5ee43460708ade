import Hummingbird
import NIOCore
import ParleyMessaging

/// Processes an import of any size as it arrives, in batches of lines.
///
/// Each batch is one transaction (`Messaging.importRecords`). Memory holds only one batch and the report, and TCP slows a fast
/// sender down. If the database becomes unavailable, the call fails. The earlier batches remain imported, and the same import
/// can be repeated.
struct BulkImport: Sendable {
    /// The maximum number of lines in a batch.
    private static let batchLines = 500

    let messaging: Messaging
    let backEnd: BackEnd

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
                try ImportLine(
                    number: line.number, bytes: bytes, visibility: messaging.rooms.importVisibility,
                    reference: messaging.reference))
        } catch {
            report.note(error, line: line.number)
        }
    }

    private func write(_ batch: inout [ImportLine], _ report: inout ImportReport) async throws {
        guard !batch.isEmpty else { return }
        let outcomes = try await messaging.importRecords(batch.map(\.item), by: backEnd)
        for (line, outcome) in zip(batch, outcomes) { report.count(outcome, of: line) }
        batch = []
    }
}
