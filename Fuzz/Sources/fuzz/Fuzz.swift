import CLibFuzzer
import ParleyFuzzTargets
import Synchronization

/// `fuzz TARGET [options and directories of libFuzzer]`; `fuzz list` lists the targets.
@main enum Fuzz {
    /// libFuzzer calls a C function, which captures nothing.
    private static let target = Mutex(FuzzTarget.json)

    static func main() {
        guard CommandLine.argc > 1, let name = CommandLine.unsafeArgv[1].map({ String(cString: $0) }),
            let chosen = FuzzTarget(rawValue: name)
        else {
            for target in FuzzTarget.allCases { print(target.rawValue) }
            return
        }
        target.withLock { $0 = chosen }
        // libFuzzer starts itself again by its first argument, which the name of the target therefore follows.
        var count = CommandLine.argc - 1
        CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
        _ = LLVMFuzzerRunDriver(&count, &arguments) { start, count in
            do {
                try Fuzz.target.withLock { $0 }.run(Array(UnsafeBufferPointer(start: start, count: count)))
            } catch {
                fatalError("\(error)")
            }
            return 0
        }
    }
}
