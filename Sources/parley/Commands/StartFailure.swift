import NIOCore
import ParleyAccounts
import ParleyModel

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Why the program cannot run, in plain words for whoever started it.
struct StartFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        switch error {
        case let violation as SettingError:
            description = "\(violation)"
        case StoreError.unavailable(let reason), StoreError.failed(let reason):
            description = "database: \(reason)"
        case let failure as PortFailure:
            description = "\(failure)"
        default:
            description = "\(error)"
        }
    }
}

/// A door cannot be opened.
struct PortFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: IOError, host: String, port: Int, flag: String) {
        switch error.errnoCode {
        case EADDRINUSE:
            description = "port \(port) on \(host) is in use; stop what uses it, or choose another with \(flag)"
        case EACCES:
            description = "port \(port) on \(host) needs more rights; choose one above 1023 with \(flag)"
        case EADDRNOTAVAIL:
            description = "\(host) is no address of this machine; choose another with --bind"
        default:
            description = "cannot listen on \(host):\(port): \(error)"
        }
    }
}
