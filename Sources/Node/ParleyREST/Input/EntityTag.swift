import HTTPTypes
import Hummingbird

/// The tag of one version of a file (RFC 9110 §8.8.3).
struct EntityTag: Hashable, Sendable {
    /// With its quotes.
    let text: String

    /// - Parameter version: printable ASCII without quotes.
    init(version: String) {
        text = "\"\(version)\""
    }

    /// Whether the client has this version already: the weak comparison of `If-None-Match`.
    func isKnown(to request: Request) -> Bool {
        guard let condition = request.headers[.ifNoneMatch] else { return false }
        return condition.split(separator: ",").contains { candidate in
            let candidate = candidate.filter { $0 != " " && $0 != "\t" }
            return candidate == "*" || candidate == text || candidate == "W/\(text)"
        }
    }

    /// Whether a `Range` of the request applies: it is not one of another version (`If-Range`).
    func isRangeable(in request: Request) -> Bool {
        guard let condition = request.headers[.ifRange] else { return true }
        return condition == text
    }
}
