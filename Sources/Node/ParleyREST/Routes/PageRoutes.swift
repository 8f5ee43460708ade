import HTTPTypes
import Hummingbird

/// The web client, the console and the API documentation.
func pageRoutes(_ settings: WebAppSettings) -> [Route] {
    (StaticFiles.common + WebApp(settings: settings).files()).map { file in
        Route(.get, .head, path: file.path, label: "page", for: .anyone) { request, _ in
            // Addresses in the page are relative to its path, including the slash.
            guard file.path.count == 1 || !file.path.hasSuffix("/") || request.uri.path.hasSuffix("/") else {
                return Response(status: .permanentRedirect, headers: [.location: file.path])
            }
            return file.response(to: request)
        }
    }
}
