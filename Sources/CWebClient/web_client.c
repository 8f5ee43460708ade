#include "CWebClient.h"

// In C, for #embed: Swift has only array literals, which take the compiler a minute. A changed file is compiled again, since
// clang lists what it embeds among the dependencies. A new file is one more #embed and one more FILE.
#ifndef __has_embed
#error "#embed is missing; it needs the clang of Swift 6.2 or later"
#endif

// C23, and an extension before it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "files/index.html"
};
static const unsigned char style_css[] = {
#embed "files/style.css"
};
static const unsigned char conversation_css[] = {
#embed "files/conversation.css"
};
static const unsigned char dialogs_css[] = {
#embed "files/dialogs.css"
};
static const unsigned char manifest_webmanifest[] = {
#embed "files/manifest.webmanifest"
};
static const unsigned char main_js[] = {
#embed "files/main.js"
};
static const unsigned char api_js[] = {
#embed "files/api.js"
};
static const unsigned char cache_js[] = {
#embed "files/cache.js"
};
static const unsigned char chat_js[] = {
#embed "files/chat.js"
};
static const unsigned char chosenFiles_js[] = {
#embed "files/chosenFiles.js"
};
static const unsigned char conversations_js[] = {
#embed "files/conversations.js"
};
static const unsigned char database_js[] = {
#embed "files/database.js"
};
static const unsigned char dialog_js[] = {
#embed "files/dialog.js"
};
static const unsigned char dom_js[] = {
#embed "files/dom.js"
};
static const unsigned char drafts_js[] = {
#embed "files/drafts.js"
};
static const unsigned char emojis_js[] = {
#embed "files/emojis.js"
};
static const unsigned char engine_js[] = {
#embed "files/engine.js"
};
static const unsigned char fold_js[] = {
#embed "files/fold.js"
};
static const unsigned char format_js[] = {
#embed "files/format.js"
};
static const unsigned char hub_js[] = {
#embed "files/hub.js"
};
static const unsigned char localStore_js[] = {
#embed "files/localStore.js"
};
static const unsigned char markdown_js[] = {
#embed "files/markdown.js"
};
static const unsigned char mention_js[] = {
#embed "files/mention.js"
};
static const unsigned char names_js[] = {
#embed "files/names.js"
};
static const unsigned char notify_js[] = {
#embed "files/notify.js"
};
static const unsigned char outbox_js[] = {
#embed "files/outbox.js"
};
static const unsigned char policy_js[] = {
#embed "files/policy.js"
};
static const unsigned char roster_js[] = {
#embed "files/roster.js"
};
static const unsigned char rows_js[] = {
#embed "files/rows.js"
};
static const unsigned char serviceWorker_js[] = {
#embed "files/serviceWorker.js"
};
static const unsigned char shell_js[] = {
#embed "files/shell.js"
};
static const unsigned char socket_js[] = {
#embed "files/socket.js"
};
static const unsigned char strings_js[] = {
#embed "files/strings.js"
};
static const unsigned char timeline_js[] = {
#embed "files/timeline.js"
};
static const unsigned char titles_js[] = {
#embed "files/titles.js"
};
static const unsigned char typing_js[] = {
#embed "files/typing.js"
};
static const unsigned char uuid_js[] = {
#embed "files/uuid.js"
};
static const unsigned char viewComposer_js[] = {
#embed "files/viewComposer.js"
};
static const unsigned char viewEmoji_js[] = {
#embed "files/viewEmoji.js"
};
static const unsigned char viewInbox_js[] = {
#embed "files/viewInbox.js"
};
static const unsigned char viewList_js[] = {
#embed "files/viewList.js"
};
static const unsigned char viewLogin_js[] = {
#embed "files/viewLogin.js"
};
static const unsigned char viewMembers_js[] = {
#embed "files/viewMembers.js"
};
static const unsigned char viewNew_js[] = {
#embed "files/viewNew.js"
};
static const unsigned char viewParts_js[] = {
#embed "files/viewParts.js"
};
static const unsigned char viewRow_js[] = {
#embed "files/viewRow.js"
};
static const unsigned char viewSearch_js[] = {
#embed "files/viewSearch.js"
};
static const unsigned char viewSettings_js[] = {
#embed "files/viewSettings.js"
};
static const unsigned char viewText_js[] = {
#embed "files/viewText.js"
};
static const unsigned char viewThread_js[] = {
#embed "files/viewThread.js"
};
static const unsigned char viewTools_js[] = {
#embed "files/viewTools.js"
};
static const unsigned char visible_js[] = {
#embed "files/visible.js"
};
static const unsigned char watches_js[] = {
#embed "files/watches.js"
};
static const unsigned char attachments_js[] = {
#embed "files/attachments.js"
};
static const unsigned char files_css[] = {
#embed "files/files.css"
};
static const unsigned char outgoing_js[] = {
#embed "files/outgoing.js"
};
static const unsigned char picture_js[] = {
#embed "files/picture.js"
};
static const unsigned char previews_js[] = {
#embed "files/previews.js"
};
static const unsigned char uploads_js[] = {
#embed "files/uploads.js"
};
static const unsigned char viewPicture_js[] = {
#embed "files/viewPicture.js"
};
static const unsigned char viewTray_js[] = {
#embed "files/viewTray.js"
};
static const unsigned char avatars_js[] = {
#embed "files/avatars.js"
};
static const unsigned char viewAvatar_js[] = {
#embed "files/viewAvatar.js"
};
static const unsigned char windowing_js[] = {
#embed "files/windowing.js"
};
static const unsigned char console_html[] = {
#embed "files/console.html"
};
static const unsigned char console_css[] = {
#embed "files/console.css"
};
static const unsigned char consoleMain_js[] = {
#embed "files/consoleMain.js"
};
static const unsigned char consoleAPI_js[] = {
#embed "files/consoleAPI.js"
};
static const unsigned char consoleConfirm_js[] = {
#embed "files/consoleConfirm.js"
};
static const unsigned char consoleDetail_js[] = {
#embed "files/consoleDetail.js"
};
static const unsigned char consoleFormat_js[] = {
#embed "files/consoleFormat.js"
};
static const unsigned char consoleForms_js[] = {
#embed "files/consoleForms.js"
};
static const unsigned char consoleLogin_js[] = {
#embed "files/consoleLogin.js"
};
static const unsigned char consoleOverview_js[] = {
#embed "files/consoleOverview.js"
};
static const unsigned char docs_html[] = {
#embed "files/docs.html"
};
static const unsigned char docs_css[] = {
#embed "files/docs.css"
};
static const unsigned char docsMain_js[] = {
#embed "files/docsMain.js"
};
static const unsigned char docsAPI_js[] = {
#embed "files/docsAPI.js"
};
static const unsigned char docsMarkdown_js[] = {
#embed "files/docsMarkdown.js"
};
static const unsigned char protocol_md[] = {
#embed "files/protocol.md"
};
static const unsigned char openapi_json[] = {
#embed "files/openapi.json"
};
static const unsigned char icon_svg[] = {
#embed "files/icon.svg"
};
static const unsigned char icons_svg[] = {
#embed "files/icons.svg"
};
static const unsigned char icon_192_png[] = {
#embed "files/icon-192.png"
};
static const unsigned char icon_512_png[] = {
#embed "files/icon-512.png"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct web_client_file files[] = {
    FILE("index.html", index_html),
    FILE("style.css", style_css),
    FILE("conversation.css", conversation_css),
    FILE("dialogs.css", dialogs_css),
    FILE("manifest.webmanifest", manifest_webmanifest),
    FILE("main.js", main_js),
    FILE("api.js", api_js),
    FILE("cache.js", cache_js),
    FILE("chat.js", chat_js),
    FILE("chosenFiles.js", chosenFiles_js),
    FILE("conversations.js", conversations_js),
    FILE("database.js", database_js),
    FILE("dialog.js", dialog_js),
    FILE("dom.js", dom_js),
    FILE("drafts.js", drafts_js),
    FILE("emojis.js", emojis_js),
    FILE("engine.js", engine_js),
    FILE("fold.js", fold_js),
    FILE("format.js", format_js),
    FILE("hub.js", hub_js),
    FILE("localStore.js", localStore_js),
    FILE("markdown.js", markdown_js),
    FILE("mention.js", mention_js),
    FILE("names.js", names_js),
    FILE("notify.js", notify_js),
    FILE("outbox.js", outbox_js),
    FILE("policy.js", policy_js),
    FILE("roster.js", roster_js),
    FILE("rows.js", rows_js),
    FILE("serviceWorker.js", serviceWorker_js),
    FILE("shell.js", shell_js),
    FILE("socket.js", socket_js),
    FILE("strings.js", strings_js),
    FILE("timeline.js", timeline_js),
    FILE("titles.js", titles_js),
    FILE("typing.js", typing_js),
    FILE("uuid.js", uuid_js),
    FILE("viewComposer.js", viewComposer_js),
    FILE("viewEmoji.js", viewEmoji_js),
    FILE("viewInbox.js", viewInbox_js),
    FILE("viewList.js", viewList_js),
    FILE("viewLogin.js", viewLogin_js),
    FILE("viewMembers.js", viewMembers_js),
    FILE("viewNew.js", viewNew_js),
    FILE("viewParts.js", viewParts_js),
    FILE("viewRow.js", viewRow_js),
    FILE("viewSearch.js", viewSearch_js),
    FILE("viewSettings.js", viewSettings_js),
    FILE("viewText.js", viewText_js),
    FILE("viewThread.js", viewThread_js),
    FILE("viewTools.js", viewTools_js),
    FILE("visible.js", visible_js),
    FILE("watches.js", watches_js),
    FILE("attachments.js", attachments_js),
    FILE("files.css", files_css),
    FILE("outgoing.js", outgoing_js),
    FILE("picture.js", picture_js),
    FILE("previews.js", previews_js),
    FILE("uploads.js", uploads_js),
    FILE("viewPicture.js", viewPicture_js),
    FILE("viewTray.js", viewTray_js),
    FILE("avatars.js", avatars_js),
    FILE("viewAvatar.js", viewAvatar_js),
    FILE("windowing.js", windowing_js),
    FILE("console.html", console_html),
    FILE("console.css", console_css),
    FILE("consoleMain.js", consoleMain_js),
    FILE("consoleAPI.js", consoleAPI_js),
    FILE("consoleConfirm.js", consoleConfirm_js),
    FILE("consoleDetail.js", consoleDetail_js),
    FILE("consoleFormat.js", consoleFormat_js),
    FILE("consoleForms.js", consoleForms_js),
    FILE("consoleLogin.js", consoleLogin_js),
    FILE("consoleOverview.js", consoleOverview_js),
    FILE("docs.html", docs_html),
    FILE("docs.css", docs_css),
    FILE("docsMain.js", docsMain_js),
    FILE("docsAPI.js", docsAPI_js),
    FILE("docsMarkdown.js", docsMarkdown_js),
    FILE("protocol.md", protocol_md),
    FILE("openapi.json", openapi_json),
    FILE("icon.svg", icon_svg),
    FILE("icons.svg", icons_svg),
    FILE("icon-192.png", icon_192_png),
    FILE("icon-512.png", icon_512_png),
};

size_t web_client_file_count(void) { return sizeof files / sizeof *files; }

const struct web_client_file *web_client_files(void) { return files; }
