#include "CWebClient.h"

// In C, for #embed: Swift has only array literals, which take the compiler a minute. A changed file is compiled again, since
// clang lists what it embeds among the dependencies. A new file is one more #embed and one more FILE.
#ifndef __has_embed
#error "#embed is missing; it needs the clang of Swift 6.2 or later"
#endif

// C23, and an extension before it.
#pragma clang diagnostic ignored "-Wc23-extensions"

// The files of the console and the documentation.
#include "operator_pages.h"
// Those of the web app about rooms, who comes into them, and what notifies.
#include "room_pages.h"

static const unsigned char index_html[] = {
#embed "files/app/index.html"
};
static const unsigned char style_css[] = {
#embed "files/app/style.css"
};
static const unsigned char conversation_css[] = {
#embed "files/app/conversation.css"
};
static const unsigned char dialogs_css[] = {
#embed "files/app/dialogs.css"
};
static const unsigned char manifest_webmanifest[] = {
#embed "files/app/manifest.webmanifest"
};
static const unsigned char main_js[] = {
#embed "files/app/main.js"
};
static const unsigned char api_js[] = {
#embed "files/app/api.js"
};
static const unsigned char cache_js[] = {
#embed "files/client/cache.js"
};
static const unsigned char chat_js[] = {
#embed "files/app/chat.js"
};
static const unsigned char chosenFiles_js[] = {
#embed "files/app/chosenFiles.js"
};
static const unsigned char delivery_js[] = {
#embed "files/client/delivery.js"
};
static const unsigned char device_js[] = {
#embed "files/client/device.js"
};
static const unsigned char conversations_js[] = {
#embed "files/client/conversations.js"
};
static const unsigned char counts_js[] = {
#embed "files/client/counts.js"
};
static const unsigned char clientCollection_js[] = {
#embed "files/client/collection.js"
};
static const unsigned char clientIndex_js[] = {
#embed "files/client/index.js"
};
static const unsigned char clientRest_js[] = {
#embed "files/client/rest.js"
};
static const unsigned char clientSession_js[] = {
#embed "files/client/session.js"
};
static const unsigned char clientStorage_js[] = {
#embed "files/client/storage.js"
};
static const unsigned char database_js[] = {
#embed "files/client/database.js"
};
static const unsigned char dialog_js[] = {
#embed "files/app/dialog.js"
};
static const unsigned char dom_js[] = {
#embed "files/shared/dom.js"
};
static const unsigned char drafts_js[] = {
#embed "files/app/drafts.js"
};
static const unsigned char emojis_js[] = {
#embed "files/app/emojis.js"
};
static const unsigned char engine_js[] = {
#embed "files/client/engine.js"
};
static const unsigned char fold_js[] = {
#embed "files/client/fold.js"
};
static const unsigned char format_js[] = {
#embed "files/shared/format.js"
};
static const unsigned char hub_js[] = {
#embed "files/client/hub.js"
};
static const unsigned char localStore_js[] = {
#embed "files/shared/localStore.js"
};
static const unsigned char markdown_js[] = {
#embed "files/app/markdown.js"
};
static const unsigned char mention_js[] = {
#embed "files/app/mention.js"
};
static const unsigned char mutes_js[] = {
#embed "files/client/mutes.js"
};
static const unsigned char names_js[] = {
#embed "files/client/names.js"
};
static const unsigned char notify_js[] = {
#embed "files/app/notify.js"
};
static const unsigned char outbox_js[] = {
#embed "files/client/outbox.js"
};
static const unsigned char policy_js[] = {
#embed "files/client/policy.js"
};
static const unsigned char room_js[] = {
#embed "files/client/room.js"
};
static const unsigned char roster_js[] = {
#embed "files/client/roster.js"
};
static const unsigned char rows_js[] = {
#embed "files/app/rows.js"
};
static const unsigned char serviceWorker_js[] = {
#embed "files/app/serviceWorker.js"
};
static const unsigned char shell_js[] = {
#embed "files/app/shell.js"
};
static const unsigned char socket_js[] = {
#embed "files/client/socket.js"
};
static const unsigned char site_js[] = {
#embed "files/shared/site.js"
};
static const unsigned char entrance_js[] = {
#embed "files/app/entrance.js"
};
static const unsigned char viewEntrance_js[] = {
#embed "files/app/viewEntrance.js"
};
static const unsigned char english_js[] = {
#embed "files/shared/english.js"
};
static const unsigned char german_js[] = {
#embed "files/shared/german.js"
};
static const unsigned char errors_js[] = {
#embed "files/shared/errors.js"
};
static const unsigned char strings_js[] = {
#embed "files/shared/strings.js"
};
static const unsigned char timeline_js[] = {
#embed "files/client/timeline.js"
};
static const unsigned char titles_js[] = {
#embed "files/app/titles.js"
};
static const unsigned char typing_js[] = {
#embed "files/client/typing.js"
};
static const unsigned char uuid_js[] = {
#embed "files/client/uuid.js"
};
static const unsigned char viewComposer_js[] = {
#embed "files/app/viewComposer.js"
};
static const unsigned char viewEmoji_js[] = {
#embed "files/app/viewEmoji.js"
};
static const unsigned char viewInbox_js[] = {
#embed "files/app/viewInbox.js"
};
static const unsigned char viewList_js[] = {
#embed "files/app/viewList.js"
};
static const unsigned char viewLogin_js[] = {
#embed "files/app/viewLogin.js"
};
static const unsigned char viewParts_js[] = {
#embed "files/app/viewParts.js"
};
static const unsigned char viewRow_js[] = {
#embed "files/app/viewRow.js"
};
static const unsigned char found_js[] = {
#embed "files/app/found.js"
};
static const unsigned char viewSearch_js[] = {
#embed "files/app/viewSearch.js"
};
static const unsigned char viewSettings_js[] = {
#embed "files/app/viewSettings.js"
};
static const unsigned char viewText_js[] = {
#embed "files/app/viewText.js"
};
static const unsigned char viewThread_js[] = {
#embed "files/app/viewThread.js"
};
static const unsigned char viewTools_js[] = {
#embed "files/app/viewTools.js"
};
static const unsigned char visible_js[] = {
#embed "files/shared/visible.js"
};
static const unsigned char watches_js[] = {
#embed "files/client/watches.js"
};
static const unsigned char attachments_js[] = {
#embed "files/app/attachments.js"
};
static const unsigned char files_css[] = {
#embed "files/app/files.css"
};
static const unsigned char outgoing_js[] = {
#embed "files/client/outgoing.js"
};
static const unsigned char picture_js[] = {
#embed "files/app/picture.js"
};
static const unsigned char pictures_js[] = {
#embed "files/app/pictures.js"
};
static const unsigned char previews_js[] = {
#embed "files/app/previews.js"
};
static const unsigned char uploads_js[] = {
#embed "files/client/uploads.js"
};
static const unsigned char viewPicture_js[] = {
#embed "files/app/viewPicture.js"
};
static const unsigned char viewTray_js[] = {
#embed "files/app/viewTray.js"
};
static const unsigned char profiles_js[] = {
#embed "files/app/profiles.js"
};
static const unsigned char viewAvatar_js[] = {
#embed "files/app/viewAvatar.js"
};
static const unsigned char windowing_js[] = {
#embed "files/app/windowing.js"
};
static const unsigned char icon_svg[] = {
#embed "files/shared/icon.svg"
};
static const unsigned char icons_svg[] = {
#embed "files/shared/icons.svg"
};
static const unsigned char icon_192_png[] = {
#embed "files/shared/icon-192.png"
};
static const unsigned char icon_512_png[] = {
#embed "files/shared/icon-512.png"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct web_client_file files[] = {
    FILE("index.html", index_html),
    FILE("app/style.css", style_css),
    FILE("app/conversation.css", conversation_css),
    FILE("app/dialogs.css", dialogs_css),
    FILE("app/manifest.webmanifest", manifest_webmanifest),
    FILE("app/main.js", main_js),
    FILE("app/api.js", api_js),
    FILE("client/cache.js", cache_js),
    FILE("app/chat.js", chat_js),
    FILE("app/chosenFiles.js", chosenFiles_js),
    FILE("client/conversations.js", conversations_js),
    FILE("client/delivery.js", delivery_js),
    FILE("client/device.js", device_js),
    FILE("client/counts.js", counts_js),
    FILE("client/collection.js", clientCollection_js),
    FILE("client/index.js", clientIndex_js),
    FILE("client/rest.js", clientRest_js),
    FILE("client/session.js", clientSession_js),
    FILE("client/storage.js", clientStorage_js),
    FILE("client/database.js", database_js),
    FILE("app/dialog.js", dialog_js),
    FILE("shared/dom.js", dom_js),
    FILE("app/invitations.js", invitations_js),
    FILE("app/openMembers.js", openMembers_js),
    FILE("app/viewEntrances.js", viewEntrances_js),
    FILE("app/viewGroup.js", viewGroup_js),
    FILE("app/viewInvitations.js", viewInvitations_js),
    FILE("app/viewJoin.js", viewJoin_js),
    FILE("app/viewOwner.js", viewOwner_js),
    FILE("app/waysIn.js", waysIn_js),
    FILE("app/drafts.js", drafts_js),
    FILE("app/emojis.js", emojis_js),
    FILE("client/engine.js", engine_js),
    FILE("client/entrances.js", entrances_js),
    FILE("client/fold.js", fold_js),
    FILE("shared/format.js", format_js),
    FILE("client/hub.js", hub_js),
    FILE("shared/localStore.js", localStore_js),
    FILE("app/markdown.js", markdown_js),
    FILE("app/mention.js", mention_js),
    FILE("client/mutes.js", mutes_js),
    FILE("client/names.js", names_js),
    FILE("app/notify.js", notify_js),
    FILE("app/notifySettings.js", notifySettings_js),
    FILE("shared/notifyStrings.js", notifyStrings_js),
    FILE("app/push.js", push_js),
    FILE("app/viewNotifications.js", viewNotifications_js),
    FILE("client/outbox.js", outbox_js),
    FILE("client/policy.js", policy_js),
    FILE("client/room.js", room_js),
    FILE("client/roster.js", roster_js),
    FILE("app/rows.js", rows_js),
    FILE("app/sanctions.js", sanctions_js),
    FILE("serviceWorker.js", serviceWorker_js),
    FILE("app/shell.js", shell_js),
    FILE("client/socket.js", socket_js),
    FILE("shared/strings.js", strings_js),
    FILE("shared/errors.js", errors_js),
    FILE("shared/german.js", german_js),
    FILE("shared/english.js", english_js),
    FILE("app/viewEntrance.js", viewEntrance_js),
    FILE("app/entrance.js", entrance_js),
    FILE("shared/site.js", site_js),
    FILE("client/timeline.js", timeline_js),
    FILE("app/titles.js", titles_js),
    FILE("client/typing.js", typing_js),
    FILE("client/uuid.js", uuid_js),
    FILE("app/viewComposer.js", viewComposer_js),
    FILE("app/viewEmoji.js", viewEmoji_js),
    FILE("app/viewInbox.js", viewInbox_js),
    FILE("app/viewList.js", viewList_js),
    FILE("app/viewLogin.js", viewLogin_js),
    FILE("app/viewMembers.js", viewMembers_js),
    FILE("app/roomForm.js", roomForm_js),
    FILE("app/viewRoom.js", viewRoom_js),
    FILE("shared/roomStrings.js", roomStrings_js),
    FILE("app/viewMute.js", viewMute_js),
    FILE("app/viewNew.js", viewNew_js),
    FILE("app/viewParts.js", viewParts_js),
    FILE("app/viewRow.js", viewRow_js),
    FILE("app/found.js", found_js),
    FILE("app/viewSanctions.js", viewSanctions_js),
    FILE("app/viewSearch.js", viewSearch_js),
    FILE("app/viewSettings.js", viewSettings_js),
    FILE("app/viewText.js", viewText_js),
    FILE("app/viewThread.js", viewThread_js),
    FILE("app/viewTools.js", viewTools_js),
    FILE("shared/visible.js", visible_js),
    FILE("client/watches.js", watches_js),
    FILE("app/attachments.js", attachments_js),
    FILE("app/files.css", files_css),
    FILE("client/outgoing.js", outgoing_js),
    FILE("app/picture.js", picture_js),
    FILE("app/pictures.js", pictures_js),
    FILE("app/previews.js", previews_js),
    FILE("client/uploads.js", uploads_js),
    FILE("app/viewPicture.js", viewPicture_js),
    FILE("app/viewTray.js", viewTray_js),
    FILE("app/profiles.js", profiles_js),
    FILE("app/viewAvatar.js", viewAvatar_js),
    FILE("app/windowing.js", windowing_js),
    FILE("console.html", console_html),
    FILE("console/console.css", console_css),
    FILE("console/main.js", consoleMain_js),
    FILE("console/api.js", consoleAPI_js),
    FILE("console/confirm.js", consoleConfirm_js),
    FILE("console/detail.js", consoleDetail_js),
    FILE("console/format.js", consoleFormat_js),
    FILE("console/forms.js", consoleForms_js),
    FILE("console/login.js", consoleLogin_js),
    FILE("console/overview.js", consoleOverview_js),
    FILE("console/audit.js", consoleAudit_js),
    FILE("console/auditText.js", consoleAuditText_js),
    FILE("console/chart.js", consoleChart_js),
    FILE("console/history.js", consoleHistory_js),
    FILE("console/restrict.js", consoleRestrict_js),
    FILE("console/roomActions.js", consoleRoomActions_js),
    FILE("console/userActions.js", consoleUserActions_js),
    FILE("console/eventGroups.js", consoleEventGroups_js),
    FILE("console/eventGroupsText.js", consoleEventGroupsText_js),
    FILE("console/webhooks.js", consoleWebhooks_js),
    FILE("console/webhooksPage.js", consoleWebhooksPage_js),
    FILE("console/webhooksText.js", consoleWebhooksText_js),
    FILE("console/deadLetters.js", consoleDeadLetters_js),
    FILE("console/pushes.js", consolePushes_js),
    FILE("console/pushesText.js", consolePushesText_js),
    FILE("console/userSessions.js", consoleUserSessions_js),
    FILE("docs.html", docs_html),
    FILE("docs/docs.css", docs_css),
    FILE("docs/main.js", docsMain_js),
    FILE("docs/api.js", docsAPI_js),
    FILE("docs/markdown.js", docsMarkdown_js),
    FILE("docs/search.js", docsSearch_js),
    FILE("examples.md", examples_md),
    FILE("protocol.md", protocol_md),
    FILE("protocol-sockets.md", protocol_sockets_md),
    FILE("protocol-rest.md", protocol_rest_md),
    FILE("protocol-admin.md", protocol_admin_md),
    FILE("openapi.json", openapi_json),
    FILE("shared/icon.svg", icon_svg),
    FILE("shared/icons.svg", icons_svg),
    FILE("shared/icon-192.png", icon_192_png),
    FILE("shared/icon-512.png", icon_512_png),
};

size_t web_client_file_count(void) { return sizeof files / sizeof *files; }

const struct web_client_file *web_client_files(void) { return files; }
