import HTTPTypes
import Hummingbird
import ParleyModel

/// The id that links a response with its log lines.
///
/// A proxy's own id is adopted, so that one id runs through all logs, if it is 1 to 64 characters of `[A-Za-z0-9._-]`;
/// anything else could forge log lines or headers and is replaced.
enum RequestID {
    static func of(_ request: Request, clock: WallClock) -> String {
        if let offered = request.headers[.requestID], isSane(offered) { return offered }
        return UUIDv7(clock).description
    }

    private static func isSane(_ text: String) -> Bool {
        text.utf8.count <= 64 && Identifier<Never>(text) != nil
    }
}
