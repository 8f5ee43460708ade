import HTTPTypes
import Hummingbird

/// A path with its handler.
struct Route: Sendable {
    typealias Handler = @Sendable (Request, RESTContext) async throws -> Response

    /// With parameters in braces.
    let path: String
    let methods: [HTTPRequest.Method]
    /// The name in metrics and logs; several paths may share one.
    let label: String
    let handler: Handler

    init(_ methods: HTTPRequest.Method..., path: String, label: String? = nil, handler: @escaping Handler) {
        self.path = path
        self.methods = methods
        self.label = label ?? path
        self.handler = handler
    }
}
