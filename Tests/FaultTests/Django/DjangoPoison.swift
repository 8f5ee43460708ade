import Foundation
import ParleyTestSupport

/// What ends a consumer of Django, as measured with the real packages; the file is that of the unit tests.
struct DjangoPoison {
    /// In hex.
    let payloads: [String]
    /// Types of events that would do something to a consumer.
    let dangerousTypes: [String]
    /// How many payloads a reader of both formats can read, and finds to be an event: JSON, and a type unknown to Django.
    let goodEvents = 2

    init() throws {
        let path = DjangoPython.root + "/Tests/ParleyRedisTests/Vectors/channels_redis.json"
        let all = try JSONValue(parsing: Array(Data(contentsOf: URL(filePath: path))))["poison_for_django_consumers"]
        payloads = (all?["vectors"]?.array ?? []).compactMap { $0["hex"]?.string }
        dangerousTypes = (all?["dangerous_types"]?["list"]?.object ?? [:]).keys.sorted()
        guard payloads.count >= 22, dangerousTypes.count >= 9 else {
            throw DjangoPeer.Unexpected(description: "the vectors are not where they were: \(path)")
        }
    }
}
