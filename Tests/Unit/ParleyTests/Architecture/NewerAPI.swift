/// An API or a feature of the language that some of the systems ParleyClient supports lack.
///
/// The versions of the standard library's are those of its interface in the toolchain (`*.swiftinterface`), those of
/// Foundation and Dispatch are from Apple's documentation.
///
/// Not in the list, because they are old enough: `Duration`, `Clock`, `Task.sleep(for:)` and `Task.sleep(until:)`,
/// `Regex` and RegexBuilder, `URL(filePath:)` and `any P<T>`, which came with macOS 13 and iOS 16;
/// `AsyncStream.makeStream`, `assumeIsolated` and `Span`, which the compiler deploys to older systems; and
/// `URLSession.data(for:delegate:)` and the delegate of a task, which came with macOS 12 and iOS 15.
struct NewerAPI: CustomStringConvertible {
    let name: String
    /// Finds a use in a line of code.
    let pattern: String
    /// The first version of macOS that has it.
    let macOS: Double
    /// The first version of iOS that has it.
    let iOS: Double
    /// What is used instead, if there is something.
    let instead: String?

    init(_ name: String, _ pattern: String, macOS: Double, iOS: Double, instead: String? = nil) {
        self.name = name
        self.pattern = pattern
        self.macOS = macOS
        self.iOS = iOS
        self.instead = instead
    }

    var description: String {
        "\(name), which needs macOS \(macOS) and iOS \(iOS)" + (instead.map { "; instead: \($0)" } ?? "")
    }

    static let all = language + standardLibrary + concurrency + foundation

    /// What older runtimes lack.
    static let language = [
        NewerAPI("types with a parameter pack", #"\b(struct|class|enum|actor) \w+<[^>]*\beach "#, macOS: 14, iOS: 17),
        NewerAPI(
            "functions with typed throws as values",
            #"\b(let|var|case|typealias) .*\) (async )?throws\(\w+\) -> "#, macOS: 15, iOS: 18),
        NewerAPI("@isolated(any)", #"@isolated\(any\)"#, macOS: 15, iOS: 18),
        NewerAPI("isolated deinit", #"\bisolated deinit\b"#, macOS: 15.4, iOS: 18.4),
        NewerAPI("types with a value in angle brackets", #"<[^>]*\blet \w+: Int\b"#, macOS: 26, iOS: 26),
    ]

    static let standardLibrary = [
        NewerAPI("StaticBigInt", #"\bStaticBigInt\b"#, macOS: 13.3, iOS: 16.4),
        NewerAPI("Int128", #"\bU?Int128\b"#, macOS: 15, iOS: 18),
        NewerAPI(
            "Duration in attoseconds", #"Duration\(attoseconds:|[^s]\.attoseconds\b"#, macOS: 15, iOS: 18,
            instead: "components"),
        NewerAPI("Duration.nanoseconds of a Double", #"\.nanoseconds\((Double|[0-9]+\.[0-9])"#, macOS: 26, iOS: 26),
        NewerAPI(
            "RangeSet",
            #"\b(RangeSet|DiscontiguousSlice)\b|\b(removing|remove|move)Subranges\(|\.indices\((of|where):"#,
            macOS: 15, iOS: 18),
        NewerAPI(
            "String(validating:as:)", #"\bString\(validating:"#, macOS: 15, iOS: 18,
            instead: "String(validatingUTF8:) or a check of the bytes"),
        NewerAPI(
            "enumerated() as a collection", #"\.enumerated\(\)\.(count|isEmpty|last|startIndex|endIndex|suffix)\b"#,
            macOS: 26, iOS: 26),
        NewerAPI("InlineArray", #"\bInlineArray\b|\[[0-9]+ of "#, macOS: 26, iOS: 26),
        NewerAPI("UTF8Span", #"\bUTF8Span\b|\.utf8Span\b|\.utf8\.span\b"#, macOS: 26, iOS: 26),
    ]

    static let concurrency = [
        NewerAPI(
            "Mutex and Atomic", #"\b(Mutex|Atomic|AtomicLazyReference)[<(]"#, macOS: 15, iOS: 18, instead: "Locked"),
        NewerAPI(
            "Observation", #"@Observable\b|\bObservation(s|Registrar|Tracking)?\b|\bwithObservationTracking\b"#,
            macOS: 14, iOS: 17, instead: "LiveSequence"),
        NewerAPI(
            "next(isolation:)", #"\bnext\(isolation\b"#, macOS: 15, iOS: 18, instead: "next(), from which it follows"),
        NewerAPI(
            "AsyncSequence with a failure",
            #"\b(some|any) Async(Sequence|IteratorProtocol)<|\bAsyncSequence\b.*\.Failure\b"#,
            macOS: 15, iOS: 18, instead: "a type of one's own, for example LiveSequence"),
        NewerAPI(
            "task executors",
            #"\b(Unowned)?TaskExecutor\b|\b(unownedTaskExecutor|executorPreference|globalConcurrentExecutor)\b|TaskExecutorPreference\("#,
            macOS: 15, iOS: 18),
        NewerAPI(
            "ExecutorJob", #"\b(ExecutorJob|Job|JobPriority)\b"#, macOS: 14, iOS: 17, instead: "UnownedJob"),
        NewerAPI(
            "executors with equality", #"\bcomplexEquality:|\bisSameExclusiveExecutionContext\b"#, macOS: 14, iOS: 17,
            instead: "UnownedSerialExecutor(ordinary:)"),
        NewerAPI(
            "a call of checkIsolated()", #"\.checkIsolated\(|\bisIsolatingCurrentContext\b"#, macOS: 15, iOS: 18,
            instead: "assertIsolated(), which is available everywhere"),
        NewerAPI(
            "discarding task groups", #"DiscardingTaskGroup\b"#, macOS: 14, iOS: 17, instead: "withTaskGroup"),
        NewerAPI(
            "immediate tasks, names and priorities of running tasks",
            #"\bTask\.(name|immediate|immediateDetached)\b|\baddImmediateTask|\b(addTask|addTaskUnlessCancelled)\(name:|\bescalatePriority\(|PriorityEscalationHandler\("#,
            macOS: 26, iOS: 26),
    ]

    static let foundation = [
        NewerAPI("Predicate", #"#Predicate\b|\bPredicate(Expressions)?\b"#, macOS: 14, iOS: 17),
        NewerAPI("Expression", #"#Expression\b"#, macOS: 15, iOS: 18),
        NewerAPI(
            "URL(string:encodingInvalidCharacters:)", #"\bencodingInvalidCharacters\b"#, macOS: 14, iOS: 17,
            instead: "URL(string:) of a string that is percent-encoded; before iOS 17 it refuses any other"),
        NewerAPI(
            "resumable uploads of URLSession",
            #"\buploadTask\(withResumeData\b|\bupload\(resumeFrom\b|\buploadTaskResumeData\b"#,
            macOS: 14, iOS: 17),
        NewerAPI(
            "informational responses and body streams from an offset",
            #"\bdidReceiveInformationalResponse\b|\bneedNewBodyStreamFrom\b"#, macOS: 14, iOS: 17),
        NewerAPI("proxyConfigurations", #"\bproxyConfigurations\b"#, macOS: 14, iOS: 17),
        NewerAPI("usesClassicLoadingMode", #"\busesClassicLoadingMode\b"#, macOS: 15.4, iOS: 18.4),
        NewerAPI(
            "DispatchSerialQueue as an executor", #"\bDispatch(Serial|Concurrent)Queue\("#, macOS: 14, iOS: 17,
            instead: "QueueExecutor"),
        NewerAPI(
            "coding with a configuration", #"\b(decode|encode)\(.*\bconfiguration:"#, macOS: 14, iOS: 17),
        NewerAPI(
            "recurrence rules and sequences of dates", #"\bRecurrenceRule\b|\.dates\((byAdding|byMatching)\b"#,
            macOS: 15,
            iOS: 18),
        NewerAPI(
            "format styles of system clocks",
            #"\b(DiscreteFormatStyle|SystemFormatStyle|AnchoredRelativeFormatStyle)\b"#,
            macOS: 15, iOS: 18),
        NewerAPI("HTTP dates", #"\b(HTTPFormatStyle|DateComponents\.ISO8601FormatStyle)\b"#, macOS: 26, iOS: 26),
        NewerAPI(
            "messages of NotificationCenter", #"\bNotificationCenter\.(MainActor|Async)?Message\b"#, macOS: 26, iOS: 26),
    ]
}

/// Finds the APIs of ``NewerAPI/all`` in lines of code.
struct NewerAPIFinder {
    private let patterns: [(api: NewerAPI, regex: Regex<AnyRegexOutput>)]

    init() throws {
        // The default boundaries are those of Unicode, which see one word in `task.delegate`.
        patterns = try NewerAPI.all.map { ($0, try Regex($0.pattern).wordBoundaryKind(.simple)) }
    }

    /// Returns what a line uses and may not rely on.
    func uses(in line: AppleSource.Line) throws -> [NewerAPI] {
        try patterns.filter { try $0.api.macOS > line.macOS && $0.regex.firstMatch(in: line.text) != nil }.map(\.api)
    }
}
