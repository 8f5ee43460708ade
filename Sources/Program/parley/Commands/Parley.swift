import ArgumentParser

/// The command line.
@main
struct Parley: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley",
        abstract: "A chat gateway that scales out over Redis.",
        version: Version.text,
        subcommands: [
            Serve.self, GatewayCommand.self, PersisterCommand.self, Migrate.self, Admin.self, Check.self,
            BotsCommand.self, ChatCommand.self,
        ]
    )
}
