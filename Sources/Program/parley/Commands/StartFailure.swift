import NIOCore
import ParleyAccounts
import ParleyModel

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The reason that the program cannot run, as shown on the command line.
struct StartFailure: Error, CustomStringConvertible {
    let description: String

    /// - Parameter flags: the flags given, by the name of the setting; an error of such a setting names its flag.
    init(_ error: any Error, flags: [String: String] = [:]) {
        switch error {
        case let error as SettingError:
            description = Self.describe(error, flags)
        case let error as SettingErrors:
            description = "\(error)"
        case StoreError.unavailable(let reason), StoreError.failed(let reason):
            description = "database: \(reason)"
        case let failure as PortFailure:
            description = "\(failure)"
        default:
            description = "\(error)"
        }
    }

    /// The error with the name of its setting: the flag if that was given, else as in `PARLEY_BIND (bind)`.
    private static func describe(_ error: SettingError, _ flags: [String: String]) -> String {
        guard error.setting.hasSuffix(")"), let open = error.setting.firstRange(of: " (") else { return "\(error)" }
        let name = String(error.setting[open.upperBound...].dropLast())
        let flag = "--" + name.map { $0 == "." || $0 == "_" ? "-" : String($0) }.joined()
        let setting = flags[name] == nil ? String(error.setting[..<open.lowerBound]) : flag
        return "\(setting): \(error.explanation)"
    }
}

/// A listener cannot bind its port.
struct PortFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: IOError, host: String, port: Int, flag: String) {
        switch error.errnoCode {
        case EADDRINUSE:
            description =
                "port \(port) on \(host) is in use; stop the process that uses it, or choose another with \(flag)"
        case EACCES:
            description = "port \(port) on \(host) requires more privileges; choose one above 1023 with \(flag)"
        case EADDRNOTAVAIL:
            description = "\(host) is not an address of this machine; choose another with --bind"
        default:
            description = "cannot listen on \(host):\(port): \(error)"
        }
    }
}
