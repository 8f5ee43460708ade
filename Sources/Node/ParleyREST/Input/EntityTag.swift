import HTTPTypes
import Hummingbird

/// The tag of one version of a file (RFC 9110 §8.8.3).
struct EntityTag: Hashable, Sendable {
    /// The tag with its quotes.
    let text: String

    /// - Parameter version: Printable ASCII without quotes.
    init(version: String) {
        text = "\"\(version)\""
    }

    /// Whether the client already has this version, by the weak comparison of `If-None-Match`.
    func isKnown(to request: Request) -> Bool {
        guard let condition = request.headers[.ifNoneMatch] else { return false }
        return condition.split(separator: ",").contains { candidate in
            let candidate = candidate.filter { $0 != " " && $0 != "\t" }
            return candidate == "*" || candidate == text || candidate == "W/\(text)"
        }
    }

    /// Whether the request's `Range` applies, because `If-Range` does not name another version.
    func isRangeable(in request: Request) -> Bool {
        guard let condition = request.headers[.ifRange] else { return true }
        return condition == text
    }
}
