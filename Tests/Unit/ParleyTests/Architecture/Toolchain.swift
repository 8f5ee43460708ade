import Foundation

/// The toolchain that runs the tests.
enum Toolchain {
    /// The text interface of a module of the standard library, with the versions of Apple's systems that have each
    /// declaration; `nil` if the toolchain has none.
    static func interface(of module: String) throws -> String? {
        for folder in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
            let swift = URL(filePath: "\(folder)/swift").resolvingSymlinksInPath()
            let modules = swift.appending(path: "../../lib/swift_static/linux/\(module).swiftmodule").standardized
            let names = (try? FileManager.default.contentsOfDirectory(atPath: modules.path())) ?? []
            guard
                let name = names.sorted().first(where: {
                    $0.hasSuffix(".swiftinterface") && !$0.hasSuffix(".private.swiftinterface")
                })
            else { continue }
            return try String(contentsOf: modules.appending(path: name), encoding: .utf8)
        }
        return nil
    }

    /// The public types outside of other types that an interface has only for systems newer than a version of macOS.
    static func types(in interface: String, newerThan oldest: Double) -> Set<String> {
        var names: Set<String> = []
        var isNewer = false
        for line in interface.utf8.split(separator: UInt8(ascii: "\n")).lazy.filter({ $0.first != UInt8(ascii: " ") }) {
            let code = String(decoding: Array(line), as: UTF8.self)
            if let version = code.firstMatch(of: /^@available\(macOS ([0-9]+\.[0-9]+)/)?.1 {
                isNewer = (Double(version) ?? 0) > oldest
            } else if !code.hasPrefix("@") || code.contains(" public ") {
                if isNewer,
                    let name = code.firstMatch(of: /\bpublic (?:final )?(?:struct|enum|class|protocol) ([A-Z]\w*)/)?.1
                {
                    names.insert(String(name))
                }
                isNewer = false
            }
        }
        return names
    }
}
