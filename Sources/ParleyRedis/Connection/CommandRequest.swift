/// A command on its way, and who waits for the answer.
struct CommandRequest {
    let command: RESPCommand
    let server: String?
    var completion: CommandConnection.Completion
}
