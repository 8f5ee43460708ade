import Foundation

/// Validates a JSON value against a schema of Parley's description. Stricter than JSON Schema: a property that is not
/// described is an error.
struct SchemaCheck {
    let document: OpenAPIDocument

    /// The violations, each with its place; empty if there are none.
    func violations(_ value: Any, _ schema: Any, at place: String = "$") -> [String] {
        guard let schema = document.follow(schema) as? OpenAPIDocument.Object else { return ["\(place): no schema"] }
        var violations: [String] = []
        if let types = (schema["type"] as? String).map({ [$0] }) ?? schema["type"] as? [String],
            !types.contains(where: { isOf($0, value) })
        {
            return ["\(place): \(value) is no \(types)"]
        }
        if let expected = schema["const"] as? String, value as? String != expected {
            violations.append("\(place): is not \(expected)")
        }
        if let allowed = schema["enum"] as? [String], !allowed.contains(value as? String ?? "") {
            violations.append("\(place): \(value) is none of \(allowed)")
        }
        if let pattern = schema["pattern"] as? String, let text = value as? String,
            (try? Regex(pattern).firstMatch(in: text)) == nil
        {
            violations.append("\(place): \(text) does not match")
        }
        if let low = schema["minimum"] as? Int, let number = value as? Int, number < low {
            violations.append("\(place): \(number) is too low")
        }
        if let alternatives = schema["oneOf"] as? [Any] {
            let fitting = alternatives.count { self.violations(value, $0).isEmpty }
            if fitting != 1 { violations.append("\(place): fits \(fitting) of the alternatives") }
        }
        if let array = value as? [Any], let items = schema["items"] {
            for (index, element) in array.enumerated() {
                violations += self.violations(element, items, at: "\(place)[\(index)]")
            }
        }
        if let object = value as? OpenAPIDocument.Object,
            let properties = schema["properties"] as? OpenAPIDocument.Object
        {
            for name in schema["required"] as? [String] ?? [] where object[name] == nil {
                violations.append("\(place): lacks \(name)")
            }
            for (name, element) in object {
                guard let property = properties[name] else {
                    violations.append("\(place): \(name) is not described")
                    continue
                }
                violations += self.violations(element, property, at: "\(place).\(name)")
            }
        }
        return violations
    }

    private func isOf(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "null": value is NSNull
        case "object": value is OpenAPIDocument.Object
        case "array": value is [Any]
        case "string": value is String
        // Foundation uses one type for numbers and booleans.
        case "boolean":
            "\(Swift.type(of: value))".contains("Bool") || value as? NSNumber == true || value as? NSNumber == false
        case "integer": value is Int
        case "number": value is Double
        default: false
        }
    }
}
