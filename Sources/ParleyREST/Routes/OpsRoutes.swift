import HTTPTypes
import Hummingbird

/// What operators and their programs ask.
func opsRoutes(_ services: OpsServices) -> [Route] {
    let probe = ReadinessProbe(readiness: services.readiness)
    return [
        Route(.get, .head, path: "/healthz") { _, _ in
            .json(.object([("status", .string("ok")), ("version", .string(services.version))]))
        },
        Route(.get, .head, path: "/readyz") { _, _ in
            let reasons = await probe.reasons()
            guard reasons.isEmpty else { throw APIError(.unavailable, reasons.joined(separator: "; ")) }
            return .json(.object([("status", .string("ready"))]))
        },
        Route(.get, .head, path: "/metrics") { _, _ in
            .text(services.metricsText(), type: "text/plain; version=0.0.4; charset=utf-8")
        },
    ]
}
