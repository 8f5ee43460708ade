// The embedded files of the console and the API documentation, for web_client.c only.
#pragma once

static const unsigned char console_html[] = {
#embed "files/console/console.html"
};
static const unsigned char console_css[] = {
#embed "files/console/console.css"
};
static const unsigned char consoleMain_js[] = {
#embed "files/console/main.js"
};
static const unsigned char consoleAPI_js[] = {
#embed "files/console/api.js"
};
static const unsigned char consoleConfirm_js[] = {
#embed "files/console/confirm.js"
};
static const unsigned char consoleDetail_js[] = {
#embed "files/console/detail.js"
};
static const unsigned char consoleFormat_js[] = {
#embed "files/console/format.js"
};
static const unsigned char consoleForms_js[] = {
#embed "files/console/forms.js"
};
static const unsigned char consoleLogin_js[] = {
#embed "files/console/login.js"
};
static const unsigned char consoleOverview_js[] = {
#embed "files/console/overview.js"
};
static const unsigned char consoleAudit_js[] = {
#embed "files/console/audit.js"
};
static const unsigned char consoleAuditText_js[] = {
#embed "files/console/auditText.js"
};
static const unsigned char consoleChart_js[] = {
#embed "files/console/chart.js"
};
static const unsigned char consoleHistory_js[] = {
#embed "files/console/history.js"
};
static const unsigned char consoleRestrict_js[] = {
#embed "files/console/restrict.js"
};
static const unsigned char consoleRoomActions_js[] = {
#embed "files/console/roomActions.js"
};
static const unsigned char consoleUserActions_js[] = {
#embed "files/console/userActions.js"
};
static const unsigned char consoleEventGroups_js[] = {
#embed "files/console/eventGroups.js"
};
static const unsigned char consoleEventGroupsText_js[] = {
#embed "files/console/eventGroupsText.js"
};
static const unsigned char consoleWebhooks_js[] = {
#embed "files/console/webhooks.js"
};
static const unsigned char consoleWebhooksPage_js[] = {
#embed "files/console/webhooksPage.js"
};
static const unsigned char consoleWebhooksText_js[] = {
#embed "files/console/webhooksText.js"
};
static const unsigned char consoleDeadLetters_js[] = {
#embed "files/console/deadLetters.js"
};
static const unsigned char consolePushes_js[] = {
#embed "files/console/pushes.js"
};
static const unsigned char consolePushesText_js[] = {
#embed "files/console/pushesText.js"
};
static const unsigned char consoleUserSessions_js[] = {
#embed "files/console/userSessions.js"
};
static const unsigned char docs_html[] = {
#embed "files/docs/docs.html"
};
static const unsigned char docs_css[] = {
#embed "files/docs/docs.css"
};
static const unsigned char docsMain_js[] = {
#embed "files/docs/main.js"
};
static const unsigned char docsAPI_js[] = {
#embed "files/docs/api.js"
};
static const unsigned char docsMarkdown_js[] = {
#embed "files/docs/markdown.js"
};
static const unsigned char docsSearch_js[] = {
#embed "files/docs/search.js"
};
static const unsigned char examples_md[] = {
#embed "files/docs/examples.md"
};
static const unsigned char protocol_md[] = {
#embed "files/docs/protocol.md"
};
static const unsigned char protocol_sockets_md[] = {
#embed "files/docs/protocol-sockets.md"
};
static const unsigned char protocol_rest_md[] = {
#embed "files/docs/protocol-rest.md"
};
static const unsigned char protocol_admin_md[] = {
#embed "files/docs/protocol-admin.md"
};
static const unsigned char openapi_json[] = {
#embed "files/docs/openapi.json"
};
