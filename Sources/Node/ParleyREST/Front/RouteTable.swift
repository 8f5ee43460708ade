import HTTPTypes
import Hummingbird

/// The methods of each path, to distinguish 405 from 404, and its name in logs and metrics.
struct RouteTable: Sendable {
    private struct Entry: Sendable {
        let segments: [Substring]
        var methods: [HTTPRequest.Method]
    }

    /// The name of paths without a route, in metrics and logs.
    static let unmatched = "unmatched"

    private var entries: [Entry] = []
    /// Keyed by the router's own notation of the path.
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

    /// - Parameter endpoint: the router's name of the matched route, if any.
    func label(of endpoint: String?) -> String {
        endpoint.flatMap { labels[$0] } ?? Self.unmatched
    }

    /// Paths here are canonical, so an empty segment is after the slash at the end of a socket's path.
    private static func segments(of path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: true)
    }
}
