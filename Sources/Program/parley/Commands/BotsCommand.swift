import ArgumentParser

/// `parley bots`: loads a cluster, or estimates how large one has to be.
///
/// It has no options of its own: they would hide options of the same name of its subcommands.
struct BotsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bots",
        abstract: "Load a cluster with virtual users, and check that no message is lost.",
        discussion: """
            Usage: parley bots --preset smoke|chat|fanout|idle|storm|soak [--url ws://HOST:PORT]… [--html FILE]

            The API key of the cluster is read from PARLEY_API_KEY. `parley bots load --help` lists all options. The exit \
            code is 1 if a check fails, and 2 if the load could not be run. See docs/bots.md.
            """,
        subcommands: [BotsLoadCommand.self, BotsPlanCommand.self, BotsWorkerCommand.self],
        defaultSubcommand: BotsLoadCommand.self
    )
}
