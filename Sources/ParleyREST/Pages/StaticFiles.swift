/// The files of the web client: a new file in `WebClient/` is one more line here.
enum StaticFiles {
    private static let html = "text/html; charset=utf-8"
    private static let css = "text/css; charset=utf-8"
    private static let script = "text/javascript; charset=utf-8"
    private static let svg = "image/svg+xml"

    static let all: [StaticFile] = [
        StaticFile("/", html, PackageResources.index_html)
    ]
}
