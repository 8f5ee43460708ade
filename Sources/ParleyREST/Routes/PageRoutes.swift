import HTTPTypes
import Hummingbird

/// The web client.
func pageRoutes() -> [Route] {
    StaticFiles.all.map { file in
        Route(.get, .head, path: file.path, label: "page", for: .anyone) { request, _ in file.response(to: request) }
    }
}
