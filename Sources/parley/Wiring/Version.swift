/// The version of this program, as `parley --version` and `/healthz` tell it.
enum Version {
    static let text = "0.1.0-dev"
}
