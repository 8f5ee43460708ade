import HTTPTypes
import Hummingbird

/// The methods of each path, which distinguish 405 from 404, and its name in logs and metrics.
struct RouteTable: Sendable {
    private struct Entry: Sendable {
        let segments: [Substring]
        var methods: [HTTPRequest.Method]
    }

    /// The name of paths without a route, in metrics and logs.
    static let unmatched = "unmatched"

    private var entries: [Entry] = []
    /// The names by path, in the router's notation.
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

    /// Returns the methods of a path, or an empty array if the path is unknown.
    func methods(for path: String) -> [HTTPRequest.Method] {
        let segments = Self.segments(of: path)
        let entry = entries.first { entry in
            entry.segments.count == segments.count
                && zip(entry.segments, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        return entry?.methods ?? []
    }

    /// - Parameter endpoint: The router's name of the matched route, if there is one.
    func label(of endpoint: String?) -> String {
        endpoint.flatMap { labels[$0] } ?? Self.unmatched
    }

    /// Splits a path into segments. Paths are canonical here, so only the end of a socket's path can have an empty segment.
    private static func segments(of path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: true)
    }
}
