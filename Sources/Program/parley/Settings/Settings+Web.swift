import Foundation
import ParleyAccounts
import ParleyREST

extension Settings {
    /// The largest style sheet and logo, which every process holds in memory.
    private static let maximumWebFileBytes = 262_144

    static func web(_ reader: inout SettingsReader, _ accounts: AccountSettings) -> WebAppSettings {
        var settings = WebAppSettings()
        settings.allowsSignup = accounts.allowsSignup
        let address = "a path, e.g. /accounts/login/, or a URL"
        func url(_ name: String, _ summary: String) -> String? {
            let text = reader.optionalText(name, allowed: address, summary)
            guard let text, !isAddress(text) else { return text }
            reader.rejectValue(of: name)
            return nil
        }
        settings.loginURL = url(
            "login_url",
            "Login page of the site of the web app, which sends visitors there, with `next`, and has no forms of its own."
        )
        settings.logoutURL = url(
            "logout_url",
            "Logout of that site, to which the web app sends a `POST` with Django's CSRF token. Without it the app has no logout."
        )
        settings.profileURL = url(
            "profile_url",
            "The site's page for name, picture and password; the web app's own forms for them are then missing.")
        settings.path = reader.text(
            "web.path", settings.path, allowed: "/, or a path between slashes, e.g. /messenger/",
            "Path of the web app and its files. Sockets and REST stay where they are.", isAllowed: WebAppSettings.isPath
        )
        settings.name = reader.text(
            "web.name", settings.name, allowed: "1 to 32 characters", "Name of the web app.",
            isAllowed: { (1...32).contains($0.unicodeScalars.count) })
        let logo = reader.optionalText(
            "web.logo", allowed: "the path of an .svg or .png file, at most 256 KiB", "Logo of the web app.")
        settings.logo = logo.flatMap { Self.logo(&reader, $0) }
        let theme = reader.optionalText(
            "web.theme", allowed: "the path of a .css file, at most 256 KiB",
            "Style sheet after the web app's own, for instance with other values of its CSS variables.")
        settings.theme =
            theme.flatMap { webFile(&reader, "web.theme", $0) }
            .flatMap { String(validating: $0, as: UTF8.self) } ?? ""
        let ancestors = reader.optionalText(
            "web.frame_ancestors", allowed: "comma-separated: self, and origins, e.g. https://intranet.example.org",
            "Pages that may show the web app in a frame; by default none. The login's cookie reaches only frames of the same site."
        )
        settings.frameAncestors = frameAncestors(&reader, ancestors ?? "")
        webLogin(&reader, accounts.oidc, &settings)
        return settings
    }

    private static func isAddress(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let url = URL(string: text) else { return false }
        // `//host` is an address of another host.
        if text.hasPrefix("/") { return !text.hasPrefix("//") && !text.contains("\\") }
        return ["http", "https"].contains(url.scheme ?? "") && url.host()?.isEmpty == false
    }

    private static func logo(_ reader: inout SettingsReader, _ path: String) -> WebAppSettings.Logo? {
        let type =
            switch path.split(separator: ".").last?.lowercased() {
            case "svg": "image/svg+xml"
            case "png": "image/png"
            default: ""
            }
        guard !type.isEmpty else {
            reader.rejectValue(of: "web.logo")
            return nil
        }
        return webFile(&reader, "web.logo", path).map { WebAppSettings.Logo(bytes: $0, type: type) }
    }

    private static func webFile(_ reader: inout SettingsReader, _ name: String, _ path: String) -> [UInt8]? {
        guard let data = FileManager.default.contents(atPath: path) else {
            reader.reject(name, "\(path) cannot be read")
            return nil
        }
        guard data.count <= maximumWebFileBytes else {
            reader.reject(name, "\(path) has \(data.count) bytes; at most \(maximumWebFileBytes) are allowed")
            return nil
        }
        return Array(data)
    }

    private static func frameAncestors(_ reader: inout SettingsReader, _ text: String) -> [String] {
        var ancestors: [String] = []
        for entry in text.split(separator: ",") {
            let entry = entry.trimmingCharacters(in: .whitespaces)
            if entry == "self" {
                ancestors.append("'self'")
            } else if let origin = Origin(entry), ["http", "https"].contains(origin.scheme) {
                ancestors.append(entry)
            } else {
                reader.rejectValue(of: "web.frame_ancestors")
                return []
            }
        }
        return ancestors
    }
}
