import Foundation
import HTTPTypes
import ParleyMessaging
import ParleyREST
import ParleyTestSupport
import Testing

@Suite("The statuses of errors")
struct ErrorStatusTests {
    private static let statuses: [(ErrorCode, Int)] = [
        (.badRequest, 400), (.unauthorized, 401), (.forbidden, 403), (.notAMember, 403), (.suspended, 403),
        (.notFound, 404), (.conflict, 409), (.rolledBack, 409), (.tooLarge, 413), (.rateLimited, 429),
        (.internal, 500), (.unavailable, 503),
    ]

    @Test("each code has the status that PROTOCOL.md announces")
    func announced() throws {
        #expect(Self.statuses.map(\.0).count == ErrorCode.allCases.count)
        let text = try Repository.text("docs/PROTOCOL.md")
        let section = try #require(text.range(of: "errors are `{\"error\"")).lowerBound
        let line = text[section...].split(separator: "\n").dropFirst().prefix(2).joined(separator: " ")
        for (code, status) in Self.statuses {
            #expect(code.status.code == status)
            #expect(line.contains(try Regex("`\(code.rawValue)`[^·]* \(status)")), "\(code)")
        }
    }
}
