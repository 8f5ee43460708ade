/// A complete HTTP response.
package struct HTTPReply: Sendable {
    package let status: Int
    /// In order of arrival.
    package let headers: [(name: String, value: String)]
    package var body: [UInt8] = []

    package init(status: Int, headers: [(name: String, value: String)], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// All values of the header `name`, case-insensitively.
    package func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The first value of the header `name`.
    package func header(_ name: String) -> String? { values(name).first }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// - Throws: `DecodingError` if the body is not JSON.
    package func json() throws -> JSONValue { try JSONValue(parsing: body) }

    /// `error.code` of an error body; `nil` for any other body.
    package var errorCode: String? { (try? json())?["error"]?["code"]?.string }

    /// The value of the cookie `name` that this response sets.
    package func cookie(_ name: String) -> String? {
        for line in values("set-cookie") where line.hasPrefix("\(name)=") {
            let value = line.dropFirst(name.count + 1)
            return String(value.prefix { $0 != ";" })
        }
        return nil
    }
}

extension HTTPReply: CustomStringConvertible {
    package var description: String { "\(status) \(text)" }
}
