import NIOCore
import ParleyJSON
import ParleyModel

/// The files of the web client that depend on settings, and the bundles of the other files.
struct WebApp {
    /// The markers in `index.html` around the elements that load modules and style sheets one by one.
    private static let single = (begin: "<!-- Files -->", end: "<!-- End of files -->")
    private static let bundled = """
        <link rel="stylesheet" href="app/bundle.css">
          <script type="module" src="app/bundle.js"></script>
        """
    private static let styleSheets = ["style", "conversation", "files", "dialogs"]

    /// The script of the page, and the scripts that it loads later, by name; empty if a module has a form that `ModuleBundle` rejects.
    /// A test ensures that there are some.
    private static let scripts: [(name: String, text: ByteBuffer)] = {
        guard let bundle = try? ModuleBundle(entry: "app/main.js", source: text) else { return [] }
        let all = bundle.parts.merging(["app/bundle.js": bundle.text]) { first, _ in first }
        return all.sorted { $0.key < $1.key }.map { ($0.key, ByteBuffer(string: $0.value)) }
    }()

    /// The style sheets, without indentation and comments, which are on lines of their own.
    private static let styles =
        styleSheets.compactMap { text("app/\($0).css") }
        .flatMap { $0.split(separator: "\n") }.map { $0.drop { $0 == " " } }
        .filter { !$0.hasPrefix("/*") }.joined(separator: "\n") + "\n"

    let settings: WebAppSettings

    /// Returns all files, below the path in the settings.
    func files() -> [StaticFile] {
        let path = settings.path
        func file(_ name: String, _ content: ByteBuffer) -> StaticFile {
            StaticFile(path + name, MediaType.ofWebFile(name), content)
        }
        let logo = settings.logo.map { StaticFile(path + "app/logo", $0.type, ByteBuffer(bytes: $0.bytes)) }
        let scripts = Self.scripts.map { file($0.name, $0.text) }
        return StaticFiles.app(below: path) + scripts + [
            StaticFile(
                path, MediaType.ofWebFile("index.html"), ByteBuffer(string: page),
                policy: PagePolicy(isApp: true, frameAncestors: settings.frameAncestors)),
            // The site's rules come last, so that they take precedence.
            file("app/bundle.css", ByteBuffer(string: Self.styles + settings.theme)),
            file("app/manifest.webmanifest", ByteBuffer(bytes: manifest.json)),
            logo
                ?? StaticFile(
                    path + "app/logo", "image/svg+xml", StaticFiles.contents["shared/icon.svg"] ?? ByteBuffer()),
        ]
    }

    // MARK: The page

    private var page: String {
        var page = Self.text("index.html") ?? ""
        if !Self.scripts.isEmpty, let begin = page.firstRange(of: Self.single.begin),
            let end = page.firstRange(of: Self.single.end)
        {
            page.replaceSubrange(begin.lowerBound..<end.upperBound, with: Self.bundled)
        }
        let name = Self.escaped(settings.name)
        return page.replacing("<title>Parley</title>", with: "<title>\(name)</title>")
            .replacing("<html lang=\"en\">", with: "<html lang=\"en\" data-site=\"\(Self.escaped(site))\">")
    }

    /// The settings that the page reads (`shared/site.js`).
    private var site: String {
        let tree: JSONTree = .object([
            "name": .text(settings.name), "provider": settings.providerName.map { .text($0) },
            "passwords": .bool(settings.hasPasswords),
            "signUp": .bool(settings.allowsSignup && settings.hasPasswords && settings.loginURL == nil),
            "login": settings.loginURL.map { .text($0) }, "logout": settings.logoutURL.map { .text($0) },
            "profile": settings.profileURL.map { .text($0) }, "visibility": .text(settings.visibility.rawValue),
        ])
        return String(decoding: tree.json, as: UTF8.self)
    }

    /// The manifest, with the name and the logo of the site.
    private var manifest: JSONTree {
        guard let tree = try? JSONTree(parsing: Self.text("app/manifest.webmanifest") ?? ""),
            case .members(let members) = tree
        else { return .ordered([]) }
        return .ordered(
            members.map { member in
                switch member.key {
                case "name", "short_name": (member.key, .text(settings.name))
                case "icons": (member.key, icons ?? member.value)
                default: (member.key, member.value)
                }
            })
    }

    private var icons: JSONTree? {
        settings.logo.map { logo in
            .array([.ordered([("src", .text("logo")), ("type", .text(logo.type)), ("sizes", .text("any"))])])
        }
    }

    private static func text(_ name: String) -> String? {
        StaticFiles.contents[name].map { String(buffer: $0) }
    }

    /// Escapes a text for use in a double-quoted attribute or as the content of an element.
    private static func escaped(_ text: String) -> String {
        [("&", "&amp;"), ("\"", "&quot;"), ("<", "&lt;"), (">", "&gt;")].reduce(text) {
            $0.replacing($1.0, with: $1.1)
        }
    }
}
