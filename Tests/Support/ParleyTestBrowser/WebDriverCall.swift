import ParleyTestSupport

/// A call of the WebDriver protocol: JSON over HTTP (W3C WebDriver §6).
enum WebDriverCall {
    /// - Returns: The `value` of the response.
    /// - Throws: ``WebDriverError``, ``TimedOut``.
    static func get(_ port: Int, _ path: String, within limit: Duration = .patience) async throws -> JSONValue {
        try value(of: await HTTPClient(port: port).send("GET", path, within: limit))
    }

    static func post(
        _ port: Int, _ path: String, _ body: JSONValue = [:], within limit: Duration = .patience
    ) async throws -> JSONValue {
        let type = [(name: "Content-Type", value: "application/json")]
        let bytes = Array(body.text.utf8)
        return try value(
            of: await HTTPClient(port: port).send("POST", path, headers: type, body: bytes, within: limit))
    }

    static func delete(_ port: Int, _ path: String, within limit: Duration = .patience) async throws {
        _ = try value(of: await HTTPClient(port: port).send("DELETE", path, within: limit))
    }

    private static func value(of reply: HTTPReply) throws -> JSONValue {
        let value = try reply.json()["value"] ?? .null
        if let code = value["error"]?.string {
            throw WebDriverError(code: code, message: value["message"]?.string ?? "")
        }
        return value
    }
}

/// An error as reported by WebDriver (W3C WebDriver §6.6).
package struct WebDriverError: Error, CustomStringConvertible {
    /// For example `no such element`.
    package let code: String
    package let message: String

    package var description: String { "\(code): \(message.prefix(500))" }

    /// Whether the page may just not be ready yet, so that a retry makes sense.
    var isPassing: Bool {
        [
            "no such element", "element not interactable", "element click intercepted", "stale element reference",
            "invalid element state",
        ].contains(code)
    }
}
