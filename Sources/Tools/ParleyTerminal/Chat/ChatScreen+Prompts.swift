/// Prompts, slash commands and help.
extension ChatScreen {
    mutating func ask(_ prompt: Prompt) -> [ScreenEffect] {
        self.prompt = prompt
        promptEditor = LineEditor()
        focus = .prompt
        return prompt.hasSuggestions ? [.suggest(prompt.kind, prefix: "")] : []
    }

    mutating func promptKey(_ key: Key) -> [ScreenEffect] {
        guard let prompt else {
            focus = .composer
            return []
        }
        switch (prompt.kind, key) {
        case (_, .escape), (_, .control("c")): return answered(by: [])
        case (_, .enter): return answer(prompt)
        case (.deletion, .text(let text)), (.leaving, .text(let text)):
            promptEditor.set(text)
            return answer(prompt)
        case (.reaction, .text(let digit))
        where promptEditor.isEmpty && Prompt.emojis.indices.contains((Int(digit) ?? 0) - 1):
            promptEditor.set(Prompt.emojis[(Int(digit) ?? 1) - 1])
            return answer(prompt)
        case (_, .up), (_, .down): moveSuggestion(prompt, by: key == .up ? -1 : 1)
        case (_, .tab):
            guard let suggestion = prompt.suggestions.dropFirst(prompt.selected ?? 0).first else { return [] }
            promptEditor.set(SafeText.line(suggestion))
            return [.suggest(prompt.kind, prefix: promptEditor.text)]
        case (_, .newline): break
        default:
            let old = promptEditor.text
            _ = promptEditor.handle(key)
            guard prompt.hasSuggestions, promptEditor.text != old else { return [] }
            self.prompt?.selected = nil
            return [.suggest(prompt.kind, prefix: promptEditor.text)]
        }
        return []
    }

    private mutating func moveSuggestion(_ prompt: Prompt, by step: Int) {
        let count = prompt.suggestions.count
        guard count > 0 else { return }
        let next = (prompt.selected ?? (step > 0 ? -1 : count)) + step
        self.prompt?.selected = (0..<count).contains(next) ? next : nil
    }

    private mutating func answered(by effects: [ScreenEffect]) -> [ScreenEffect] {
        prompt = nil
        focus = .composer
        timeline.deselect()
        return effects
    }

    private mutating func answer(_ prompt: Prompt) -> [ScreenEffect] {
        // A suggestion is used as received, not as displayed.
        let chosen = prompt.selected.map { prompt.suggestions[$0] }
        let text = chosen ?? promptEditor.text.trimmed
        let isYes = text.lowercased() == "y"
        guard !text.isEmpty else { return answered(by: []) }
        switch prompt.kind {
        case .room: return answered(by: [.join(title: text)])
        case .direct: return answered(by: [.direct(user: text)])
        case .search: return answered(by: [.search(words: text)])
        case .leaving: return answered(by: isYes ? [.leave(thread: prompt.subject)] : [])
        case .deletion:
            guard let open, isYes else { return answered(by: []) }
            return answered(by: [.delete(thread: open, id: prompt.subject)])
        case .reaction:
            guard let open, let message = timeline.messages.first(where: { $0.id == prompt.subject }) else {
                return answered(by: [])
            }
            let isOn = !message.reactions.contains { $0.emoji == text && $0.isOwn }
            return answered(by: [.react(thread: open, id: message.id, emoji: text, isOn: isOn)])
        }
    }

    // MARK: Slash commands

    mutating func command(_ line: String) -> [ScreenEffect] {
        let (name, rest) = LineCommand.firstWord(line.dropFirst())
        do throws(LineCommand.Invalid) {
            if let command = try SanctionCommand.parse(name, rest) { return sanction(command) }
            if let command = try EntranceCommand.parse(name, rest) { return entrance(command) }
            if let command = try RoomCommand.parse(name, rest) { return room(command) }
        } catch {
            notice = error.description
            return []
        }
        switch (name, rest.isEmpty) {
        case ("join", false): return [.join(title: rest)]
        case ("join", true): return ask(Prompt(.room))
        case ("direct", false): return [.direct(user: rest)]
        case ("direct", true): return ask(Prompt(.direct))
        case ("search", false): return [.search(words: rest)]
        case ("search", true): return ask(Prompt(.search))
        case ("goto", false):
            let numbers = rest.split(separator: "-").compactMap { Int($0) }
            guard numbers.count == 3, (1...9999).contains(numbers[0]), (1...12).contains(numbers[1]),
                (1...31).contains(numbers[2])
            else { break }
            return [.jumpToDate(year: numbers[0], month: numbers[1], day: numbers[2])]
        case ("members", true):
            if let open, openThread?.isDirect == false { return [.members(thread: open)] }
        case ("sanctions", true):
            if let open, openThread?.isDirect == false { return [.sanctions(thread: open)] }
        case ("leave", true): if let open { return ask(Prompt(.leaving, subject: open)) }
        case ("help", _): return showHelp()
        case ("quit", true): return [.quit]
        default: break
        }
        notice =
            "/join TITLE, /direct USER, /search WORDS, /goto YYYY-MM-DD, /members, /mute, /ban, /leave, /quit; // sends a slash"
        return []
    }

    private mutating func sanction(_ command: SanctionCommand) -> [ScreenEffect] {
        guard let open, openThread?.isDirect == false else {
            notice = "Open a room first: only rooms have moderators."
            return []
        }
        return [.sanction(thread: open, command)]
    }

    private mutating func entrance(_ command: EntranceCommand) -> [ScreenEffect] {
        guard hasRoom(for: command.needsRoom) else { return [] }
        return [.entrance(thread: open ?? "", command)]
    }

    private mutating func room(_ command: RoomCommand) -> [ScreenEffect] {
        guard hasRoom(for: command.needsRoom) else { return [] }
        return [.room(thread: open ?? "", command)]
    }

    private mutating func hasRoom(for needsRoom: Bool) -> Bool {
        guard needsRoom, openThread?.isDirect != false else { return true }
        notice = "Open a room first."
        return false
    }

    // MARK: Help

    mutating func showHelp() -> [ScreenEffect] {
        page = Page(title: "Keys", lines: Self.help)
        focus = .page
        return []
    }

    static let help = [
        "Enter             send; Alt-Enter or Ctrl-J begins a line",
        "↑                 select a message (the composer is empty), then:",
        "                    r reply   e edit   d delete   + react",
        "                    Enter goes to the message that it answers",
        "                    R tries again, x discards what was refused",
        "PgUp, PgDn        scroll back and forth; Esc or End shows the newest",
        "Tab               list of conversations: ↑ ↓ Enter, l leaves one",
        "Ctrl-N, Ctrl-P    next and previous conversation (also Alt-↓ Alt-↑)",
        "Alt-A             next conversation with something unread",
        "Ctrl-O            open a room, or create it",
        "Ctrl-T            write to a user",
        "Ctrl-F            search",
        "Ctrl-A Ctrl-E     start and end of the line; Ctrl-← Ctrl-→ by words",
        "Ctrl-W Ctrl-U     delete a word, to the start; Ctrl-K to the end",
        "Ctrl-Y            insert what was deleted; ↑ ↓ recall what was sent",
        "Ctrl-L            draw the screen again",
        "Ctrl-Z            suspend; `fg` returns",
        "Ctrl-Q            quit (also Ctrl-C when nothing is written)",
        "",
        "/join TITLE  /direct USER  /search WORDS  /goto YYYY-MM-DD",
        "/members  /leave  /quit    // sends a text that begins with /",
        "/mute USER 10m REASON  /unmute USER  /ban USER 1d REASON  /unban USER",
        "/sanctions                 for moderators; time and REASON may be missing",
        "/group USER,USER TITLE     a group; without TITLE it has the names of its members",
        "/link 7d 10  /links  /revoke-link ID    links into the room, for moderators",
        "/join-link CODE            join by a link",
        "/invite USER 7d TEXT  /uninvite USER  /invitations    for moderators",
        "/room  /topic TEXT  /description TEXT  /rules TEXT    details of the room",
        "/slow 30s  /slow off  /archive  /unarchive",
        "/right write|attach|mention|add everyone|moderators",
        "/block USER  /unblock USER  /blocks",
        "/my-invitations  /accept ROOM  /decline ROOM          your own",
        "/request ID TEXT  /my-requests  /withdraw ID          ask to be let in",
        "/requests  /admit USER  /refuse USER                  for moderators",
        "/owner USER                make another member the owner",
        "",
        "… is on its way   ✓ is stored   ✓✓ somebody has read it",
    ]
}

extension String {
    /// The text without spaces at both ends.
    var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
