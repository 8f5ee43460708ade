import Foundation
import ParleyTestSupport
import Testing

/// Payloads that end a consumer of Django, as measured with the real packages.
package struct DjangoPoison {
    package let payloads: [[UInt8]]
    /// Types of events that would do something to a consumer.
    package let dangerousTypes: [String]
    /// How many payloads a reader of both formats can read, and finds to be an event: JSON, and a type unknown to
    /// Django.
    package let goodEvents = 2

    package init() throws {
        let file = Repository.url("Tests/Fixtures/django/channels_redis.json")
        let all = try JSONValue(parsing: Array(Data(contentsOf: file)))["poison_for_django_consumers"]
        payloads = (all?["vectors"]?.array ?? []).compactMap { $0["hex"]?.string.flatMap(Self.bytes) }
        dangerousTypes = (all?["dangerous_types"]?["list"]?.object ?? [:]).keys.sorted()
        try #require(payloads.count >= 22 && dangerousTypes.count >= 9, "\(file.path()) has too few vectors")
    }

    private static func bytes(_ hex: String) -> [UInt8]? {
        let digits = Array(hex)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        return bytes.count * 2 == digits.count ? bytes : nil
    }
}
