import Foundation

/// An API description as plain JSON, and its violations of the rules of OpenAPI 3.1.
struct OpenAPIDocument {
    typealias Object = [String: Any]

    let root: Object

    init(_ bytes: [UInt8]) throws {
        root = try JSONSerialization.jsonObject(with: Data(bytes)) as? Object ?? [:]
    }

    init(root: Object) {
        self.root = root
    }

    static let methods: Set = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    /// `METHOD /path` of every operation.
    var operations: Set<String> {
        var operations: Set<String> = []
        for (path, item) in root["paths"] as? Object ?? [:] {
            for method in (item as? Object ?? [:]).keys where Self.methods.contains(method) {
                operations.insert("\(method.uppercased()) \(path)")
            }
        }
        return operations
    }

    func operation(_ method: String, _ path: String) -> Object? {
        ((root["paths"] as? Object)?[path] as? Object)?[method.lowercased()] as? Object
    }

    /// The schema of an operation's response with this status; `nil` if it is not described.
    func response(_ operation: Object, status: Int) -> Any? {
        guard let response = (operation["responses"] as? Object)?[String(status)],
            let content = (follow(response) as? Object)?["content"] as? Object
        else { return nil }
        return (content["application/json"] as? Object)?["schema"]
    }

    /// Resolves a `$ref`; returns anything else unchanged, and `nil` if the reference is broken.
    func follow(_ value: Any) -> Any? {
        guard let reference = (value as? Object)?["$ref"] as? String else { return value }
        guard reference.hasPrefix("#/") else { return nil }
        var place: Any? = root
        for part in reference.dropFirst(2).split(separator: "/") { place = (place as? Object)?[String(part)] }
        return place
    }
}
