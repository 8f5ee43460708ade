private import CVersion

/// The version of this program, as `parley --version` and `/healthz` report it.
enum Version {
    /// "1.2.3", or "0.1.0-dev" if the build was given none.
    static let text = String(cString: parley_version())
}
