import Foundation

/// Checks the rules of OpenAPI 3.1.0 §4.8, as far as Parley's description uses them: unknown, missing or mistyped
/// fields, broken references, duplicate names.
struct OpenAPIRules {
    typealias Object = OpenAPIDocument.Object

    private let document: OpenAPIDocument
    private(set) var violations: [String] = []
    private var operationIDs: Set<String> = []
    private(set) var references: Set<String> = []

    init(_ document: OpenAPIDocument) {
        self.document = document
        checkRoot()
    }

    private mutating func note(_ violation: String, at place: String) {
        violations.append("\(place): \(violation)")
    }

    /// The object at a place, if it has the required fields and no unknown ones.
    private mutating func object(
        _ value: Any?, _ place: String, required: Set<String> = [], optional: Set<String> = []
    ) -> Object? {
        guard let object = value as? Object else {
            note("no object", at: place)
            return nil
        }
        let keys = Set(object.keys.filter { !$0.hasPrefix("x-") })
        for key in required.subtracting(keys).sorted() { note("lacks \(key)", at: place) }
        for key in keys.subtracting(required.union(optional)).sorted() { note("unknown field \(key)", at: place) }
        for key in ["description", "summary", "title", "name", "operationId"] where object[key] != nil {
            if key != "title" || required.contains("title"), !((object[key] as? String)?.isEmpty == false) {
                note("\(key) is no text", at: place)
            }
        }
        return object
    }

    private mutating func each(_ value: Any?, _ place: String, _ check: (inout Self, Any, String) -> Void) {
        guard let value else { return }
        if let object = value as? Object {
            for (key, value) in object { check(&self, value, "\(place)/\(key)") }
        } else if let array = value as? [Any] {
            for (index, value) in array.enumerated() { check(&self, value, "\(place)/\(index)") }
        } else {
            note("neither a map nor a list", at: place)
        }
    }

    /// Resolves a reference; its target is checked where it is defined.
    private mutating func isReference(_ value: Any, to kind: String, _ place: String) -> Bool {
        guard let reference = (value as? Object)?["$ref"] as? String else { return false }
        references.insert(reference)
        if !reference.hasPrefix("#/components/\(kind)/") || document.follow(value) == nil {
            note("\(reference) leads to none of \(kind)", at: place)
        }
        return true
    }

    // MARK: Document

    private mutating func checkRoot() {
        let root = object(
            document.root, "#", required: ["openapi", "info", "paths"],
            optional: ["jsonSchemaDialect", "servers", "webhooks", "components", "security", "tags", "externalDocs"])
        guard let root else { return }
        if (root["openapi"] as? String)?.wholeMatch(of: /3\.1\.\d+/) == nil { note("no version 3.1", at: "#/openapi") }
        let info = object(
            root["info"], "#/info", required: ["title", "version"],
            optional: ["summary", "description", "termsOfService", "contact", "license"])
        if let license = info?["license"] {
            let license = object(license, "#/info/license", required: ["name"], optional: ["identifier", "url"])
            if license?["identifier"] != nil, license?["url"] != nil { note("has both", at: "#/info/license") }
        }
        each(root["servers"], "#/servers") {
            _ = $0.object($1, $2, required: ["url"], optional: ["description", "variables"])
        }
        each(root["tags"], "#/tags") {
            _ = $0.object($1, $2, required: ["name"], optional: ["description", "externalDocs"])
        }
        let names = (root["tags"] as? [Object] ?? []).compactMap { $0["name"] as? String }
        if Set(names).count < names.count { note("double names", at: "#/tags") }
        checkSecurity(root["security"], "#/security")
        checkComponents(root["components"])
        checkPaths(root["paths"], tags: Set(names))
    }

    private mutating func checkComponents(_ value: Any?) {
        let kinds: Set = ["schemas", "responses", "parameters", "requestBodies", "headers", "securitySchemes"]
        guard let value, let components = object(value, "#/components", optional: kinds) else { return }
        each(components, "#/components") { rules, map, place in
            rules.each(map, place) { rules, _, place in
                let name = place.split(separator: "/").last ?? ""
                if name.wholeMatch(of: /[A-Za-z0-9._-]+/) == nil { rules.note("no name", at: place) }
            }
        }
        each(components["schemas"], "#/components/schemas") { $0.checkSchema($1, $2) }
        each(components["responses"], "#/components/responses") { $0.checkResponse($1, $2) }
        each(components["parameters"], "#/components/parameters") { _ = $0.parameter($1, $2) }
        each(components["securitySchemes"], "#/components/securitySchemes") { $0.checkScheme($1, $2) }
    }

    // MARK: Paths

    private mutating func checkPaths(_ value: Any?, tags: Set<String>) {
        var templates: Set<String> = []
        for (path, item) in value as? Object ?? [:] {
            let place = "#/paths/\(path)"
            if !path.hasPrefix("/") || path.contains("?") { note("no path", at: place) }
            if !templates.insert(path.replacing(/\{[^}]*\}/, with: "{}")).inserted { note("double", at: place) }
            let item = object(
                item, place, optional: OpenAPIDocument.methods.union(["summary", "description", "parameters"]))
            for (method, operation) in item ?? [:] where OpenAPIDocument.methods.contains(method) {
                checkOperation(operation, "\(place)/\(method)", path, method, tags: tags)
            }
        }
    }

    private mutating func checkOperation(
        _ value: Any, _ place: String, _ path: String, _ method: String, tags: Set<String>
    ) {
        // Of the optional fields, Parley's description must have an id, a summary and the responses.
        let operation = object(
            value, place, required: ["operationId", "summary", "responses", "tags"],
            optional: ["description", "parameters", "requestBody", "security", "deprecated"])
        guard let operation else { return }
        if let id = operation["operationId"] as? String, !operationIDs.insert(id).inserted {
            note("double operationId \(id)", at: place)
        }
        for tag in operation["tags"] as? [String] ?? [""] where !tags.contains(tag) { note("no tag \(tag)", at: place) }
        checkSecurity(operation["security"], "\(place)/security")
        checkParameters(operation["parameters"] as? [Any] ?? [], "\(place)/parameters", path)
        if let body = operation["requestBody"] {
            if ["get", "head", "delete"].contains(method) { note("has a body", at: place) }
            let body = object(
                body, "\(place)/requestBody", required: ["content"], optional: ["required", "description"])
            checkContent(body?["content"], "\(place)/requestBody/content")
        }
        let responses = operation["responses"] as? Object ?? [:]
        if responses.isEmpty { note("no responses", at: place) }
        for (status, response) in responses {
            if status.wholeMatch(of: /[1-5]\d\d|[1-5]XX|default/) == nil { note("no status \(status)", at: place) }
            checkResponse(response, "\(place)/responses/\(status)")
        }
    }

    private mutating func checkParameters(_ values: [Any], _ place: String, _ path: String) {
        var seen: Set<String> = []
        for (index, value) in values.enumerated() {
            guard let parameter = parameter(value, "\(place)/\(index)") else { continue }
            let (kind, name) = (parameter["in"] as? String ?? "", parameter["name"] as? String ?? "")
            if !seen.insert("\(kind) \(name)").inserted { note("double \(kind) \(name)", at: place) }
        }
        let inPath = Set(seen.filter { $0.hasPrefix("path ") }.map { String($0.dropFirst(5)) })
        let wanted = Set(path.matches(of: /\{([^}]*)\}/).map { String($0.1) })
        if inPath != wanted { note("path has \(wanted), parameters have \(inPath)", at: place) }
    }

    /// A parameter, inline or by reference.
    private mutating func parameter(_ value: Any, _ place: String) -> Object? {
        if isReference(value, to: "parameters", place) { return document.follow(value) as? Object }
        let parameter = object(
            value, place, required: ["name", "in", "schema"],
            optional: ["description", "required", "deprecated", "style", "explode", "example"])
        let kind = parameter?["in"] as? String ?? ""
        if !["query", "header", "path", "cookie"].contains(kind) { note("in \(kind)", at: place) }
        if kind == "path", parameter?["required"] as? Bool != true { note("a path parameter is required", at: place) }
        if let schema = parameter?["schema"] { checkSchema(schema, "\(place)/schema") }
        return parameter
    }

    // MARK: Responses

    private mutating func checkResponse(_ value: Any, _ place: String) {
        if isReference(value, to: "responses", place) { return }
        let response = object(value, place, required: ["description"], optional: ["headers", "content", "links"])
        each(response?["headers"], "\(place)/headers") { rules, header, place in
            let header = rules.object(header, place, required: ["schema"], optional: ["description", "required"])
            if let schema = header?["schema"] { rules.checkSchema(schema, "\(place)/schema") }
        }
        if let content = response?["content"] { checkContent(content, "\(place)/content") }
    }

    private mutating func checkContent(_ value: Any?, _ place: String) {
        if (value as? Object)?.isEmpty ?? true { note("no content", at: place) }
        each(value, place) { rules, media, place in
            let media = rules.object(media, place, required: ["schema"], optional: ["example", "examples", "encoding"])
            if let schema = media?["schema"] { rules.checkSchema(schema, "\(place)/schema") }
        }
        for type in (value as? Object ?? [:]).keys where type.wholeMatch(of: /[a-z]+\/[a-z0-9.+-]+/) == nil {
            note("no media type \(type)", at: place)
        }
    }

    private mutating func checkSecurity(_ value: Any?, _ place: String) {
        let schemes = (document.root["components"] as? Object)?["securitySchemes"] as? Object ?? [:]
        for requirement in value as? [Object] ?? [] {
            for (name, scopes) in requirement {
                if schemes[name] == nil { note("no scheme \(name)", at: place) }
                if !(scopes is [String]) { note("no scopes", at: place) }
            }
        }
    }

    private mutating func checkScheme(_ value: Any, _ place: String) {
        switch (value as? Object)?["type"] as? String {
        case "apiKey":
            let scheme = object(value, place, required: ["type", "name", "in"], optional: ["description"])
            if !["query", "header", "cookie"].contains(scheme?["in"] as? String) { note("in where", at: place) }
        case "http":
            _ = object(value, place, required: ["type", "scheme"], optional: ["description", "bearerFormat"])
        default: note("unknown type", at: place)
        }
    }

    // MARK: Schemas (JSON Schema 2020-12)

    private static let keywords: Set = [
        "type", "properties", "required", "items", "enum", "const", "oneOf", "anyOf", "allOf", "description",
        "pattern", "minimum", "maximum", "minLength", "maxLength", "minProperties", "minItems", "maxItems", "default",
        "discriminator",
    ]

    private mutating func checkSchema(_ value: Any, _ place: String) {
        if isReference(value, to: "schemas", place) { return }
        guard let schema = object(value, place, optional: Self.keywords) else { return }
        let types = (schema["type"] as? String).map { [$0] } ?? schema["type"] as? [String]
        if schema["type"] != nil, types?.isEmpty ?? true { note("type is none", at: place) }
        for type in types ?? []
        where !["null", "boolean", "object", "array", "number", "string", "integer"].contains(type) {
            note("no type \(type)", at: place)
        }
        let properties = schema["properties"] as? Object
        each(properties, "\(place)/properties") { $0.checkSchema($1, $2) }
        for name in schema["required"] as? [String] ?? [] where properties?[name] == nil {
            note("required \(name) is no property", at: place)
        }
        if let items = schema["items"] { checkSchema(items, "\(place)/items") }
        if types == ["array"], schema["items"] == nil { note("array of what", at: place) }
        for keyword in ["oneOf", "anyOf", "allOf"] where schema[keyword] != nil {
            if (schema[keyword] as? [Any])?.isEmpty ?? true { note("\(keyword) of nothing", at: place) }
            each(schema[keyword], "\(place)/\(keyword)") { $0.checkSchema($1, $2) }
        }
        if schema["enum"] != nil, (schema["enum"] as? [Any])?.isEmpty ?? true { note("enum of nothing", at: place) }
        if let pattern = schema["pattern"], (try? Regex(pattern as? String ?? "(")) == nil {
            note("no pattern", at: place)
        }
        if let low = schema["minimum"] as? Double, let high = schema["maximum"] as? Double, low > high {
            note("an empty range", at: place)
        }
        for (_, target) in (schema["discriminator"] as? Object)?["mapping"] as? Object ?? [:] {
            _ = isReference(["$ref": target], to: "schemas", "\(place)/discriminator")
        }
    }
}
