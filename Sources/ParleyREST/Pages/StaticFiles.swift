/// The files of the web client, the console and the API documentation: a new file in `WebClient/` is one more line here.
enum StaticFiles {
    private static let html = "text/html; charset=utf-8"
    private static let css = "text/css; charset=utf-8"
    private static let script = "text/javascript; charset=utf-8"
    private static let json = "application/json"
    private static let svg = "image/svg+xml"
    private static let markdown = "text/markdown; charset=utf-8"

    static let all: [StaticFile] = [
        StaticFile("/", html, PackageResources.index_html),
        StaticFile("/style.css", css, PackageResources.style_css),
        StaticFile("/main.js", script, PackageResources.main_js),
        StaticFile("/api.js", script, PackageResources.api_js),
        StaticFile("/dom.js", script, PackageResources.dom_js),
        StaticFile("/format.js", script, PackageResources.format_js),
        StaticFile("/inbox.js", script, PackageResources.inbox_js),
        StaticFile("/outbox.js", script, PackageResources.outbox_js),
        StaticFile("/policy.js", script, PackageResources.policy_js),
        StaticFile("/socket.js", script, PackageResources.socket_js),
        StaticFile("/state.js", script, PackageResources.state_js),
        StaticFile("/timeline.js", script, PackageResources.timeline_js),
        StaticFile("/viewInbox.js", script, PackageResources.viewInbox_js),
        StaticFile("/viewLogin.js", script, PackageResources.viewLogin_js),
        StaticFile("/viewThread.js", script, PackageResources.viewThread_js),
        StaticFile("/console", html, PackageResources.console_html),
        StaticFile("/console.css", css, PackageResources.console_css),
        StaticFile("/consoleMain.js", script, PackageResources.consoleMain_js),
        StaticFile("/consoleAPI.js", script, PackageResources.consoleAPI_js),
        StaticFile("/consoleConfirm.js", script, PackageResources.consoleConfirm_js),
        StaticFile("/consoleDetail.js", script, PackageResources.consoleDetail_js),
        StaticFile("/consoleFormat.js", script, PackageResources.consoleFormat_js),
        StaticFile("/consoleForms.js", script, PackageResources.consoleForms_js),
        StaticFile("/consoleLogin.js", script, PackageResources.consoleLogin_js),
        StaticFile("/consoleOverview.js", script, PackageResources.consoleOverview_js),
        StaticFile("/docs", html, PackageResources.docs_html),
        StaticFile("/docs.css", css, PackageResources.docs_css),
        StaticFile("/docsMain.js", script, PackageResources.docsMain_js),
        StaticFile("/docsAPI.js", script, PackageResources.docsAPI_js),
        StaticFile("/docsMarkdown.js", script, PackageResources.docsMarkdown_js),
        // A link to docs/PROTOCOL.md.
        StaticFile("/protocol.md", markdown, PackageResources.protocol_md),
        StaticFile("/openapi.json", json, PackageResources.openapi_json),
        StaticFile("/icon.svg", svg, PackageResources.icon_svg),
        StaticFile("/icons.svg", svg, PackageResources.icons_svg),
    ]
}
