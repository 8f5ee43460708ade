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
static const unsigned char main_js[] = {
#embed "files/main.js"
};
static const unsigned char api_js[] = {
#embed "files/api.js"
};
static const unsigned char dom_js[] = {
#embed "files/dom.js"
};
static const unsigned char format_js[] = {
#embed "files/format.js"
};
static const unsigned char inbox_js[] = {
#embed "files/inbox.js"
};
static const unsigned char outbox_js[] = {
#embed "files/outbox.js"
};
static const unsigned char policy_js[] = {
#embed "files/policy.js"
};
static const unsigned char socket_js[] = {
#embed "files/socket.js"
};
static const unsigned char state_js[] = {
#embed "files/state.js"
};
static const unsigned char timeline_js[] = {
#embed "files/timeline.js"
};
static const unsigned char viewInbox_js[] = {
#embed "files/viewInbox.js"
};
static const unsigned char viewLogin_js[] = {
#embed "files/viewLogin.js"
};
static const unsigned char viewThread_js[] = {
#embed "files/viewThread.js"
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

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct web_client_file files[] = {
    FILE("index.html", index_html),
    FILE("style.css", style_css),
    FILE("main.js", main_js),
    FILE("api.js", api_js),
    FILE("dom.js", dom_js),
    FILE("format.js", format_js),
    FILE("inbox.js", inbox_js),
    FILE("outbox.js", outbox_js),
    FILE("policy.js", policy_js),
    FILE("socket.js", socket_js),
    FILE("state.js", state_js),
    FILE("timeline.js", timeline_js),
    FILE("viewInbox.js", viewInbox_js),
    FILE("viewLogin.js", viewLogin_js),
    FILE("viewThread.js", viewThread_js),
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
};

size_t web_client_file_count(void) { return sizeof files / sizeof *files; }

const struct web_client_file *web_client_files(void) { return files; }
