import HTTPTypes
import Hummingbird

/// Which methods a path has, to tell 405 from 404, and what logs and metrics call it.
struct RouteTable: Sendable {
    private struct Entry: Sendable {
        let segments: [Substring]
        var methods: [HTTPRequest.Method]
    }

    /// What metrics and logs call a path without a route.
    static let unmatched = "unmatched"

    private var entries: [Entry] = []
    /// By the router's own notation of the path.
    private var labels: [String: String] = [:]

    init(_ routes: [Route]) {
        for route in routes {
            let segments = Self.segments(of: route.path)
            if let known = entries.firstIndex(where: { $0.segments == segments }) {
                entries[known].methods += route.methods
            } else {
                entries.append(Entry(segments: segments, methods: route.methods))
            }
            labels[RouterPath(route.path).description] = route.label
        }
    }

    /// The methods of a path; empty if there is no such path.
    func methods(for path: String) -> [HTTPRequest.Method] {
        let segments = Self.segments(of: path)
        let entry = entries.first { entry in
            entry.segments.count == segments.count
                && zip(entry.segments, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        return entry?.methods ?? []
    }

    /// - Parameter endpoint: what the router calls the route it has chosen, if it has.
    func label(of endpoint: String?) -> String {
        endpoint.flatMap { labels[$0] } ?? Self.unmatched
    }

    /// Only canonical paths come here, so what is empty is behind the slash at the end of a socket's path.
    private static func segments(of path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: true)
    }
}
