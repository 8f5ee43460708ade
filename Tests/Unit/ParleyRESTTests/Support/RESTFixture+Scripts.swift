import HTTPTypes

extension RESTFixture {
    /// Returns the answers for the scripts that the web app loads later, by name, such as `app/viewRoom.bundle.js`: those that the
    /// first script imports, and those that these import.
    /// - Parameter path: The path of the web app.
    func laterScripts(below path: String) async throws -> [String: Reply] {
        var scripts: [String: Reply] = [:]
        var waiting = [try await send(.get, path + "app/bundle.js")]
        while let script = waiting.popLast() {
            for match in script.text.matches(of: /await import\('\.\/([^']*)'\)/) {
                let name = "app/\(match.output.1)"
                guard scripts[name] == nil else { continue }
                let reply = try await send(.get, path + name)
                scripts[name] = reply
                waiting.append(reply)
            }
        }
        return scripts
    }
}
