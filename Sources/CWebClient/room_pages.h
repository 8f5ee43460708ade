// The embedded files of the web app about rooms, who comes into them, and what notifies, for web_client.c only.
#pragma once

static const unsigned char entrances_js[] = {
#embed "files/client/entrances.js"
};
static const unsigned char invitations_js[] = {
#embed "files/app/invitations.js"
};
static const unsigned char openMembers_js[] = {
#embed "files/app/openMembers.js"
};
static const unsigned char viewEntrances_js[] = {
#embed "files/app/viewEntrances.js"
};
static const unsigned char viewGroup_js[] = {
#embed "files/app/viewGroup.js"
};
static const unsigned char viewInvitations_js[] = {
#embed "files/app/viewInvitations.js"
};
static const unsigned char viewJoin_js[] = {
#embed "files/app/viewJoin.js"
};
static const unsigned char viewOwner_js[] = {
#embed "files/app/viewOwner.js"
};
static const unsigned char waysIn_js[] = {
#embed "files/app/waysIn.js"
};
static const unsigned char sanctions_js[] = {
#embed "files/app/sanctions.js"
};
static const unsigned char viewMute_js[] = {
#embed "files/app/viewMute.js"
};
static const unsigned char viewSanctions_js[] = {
#embed "files/app/viewSanctions.js"
};
static const unsigned char viewMembers_js[] = {
#embed "files/app/viewMembers.js"
};
static const unsigned char viewNew_js[] = {
#embed "files/app/viewNew.js"
};
static const unsigned char roomForm_js[] = {
#embed "files/app/roomForm.js"
};
static const unsigned char roomStrings_js[] = {
#embed "files/shared/roomStrings.js"
};
static const unsigned char viewRoom_js[] = {
#embed "files/app/viewRoom.js"
};
static const unsigned char notifySettings_js[] = {
#embed "files/app/notifySettings.js"
};
static const unsigned char notifyStrings_js[] = {
#embed "files/shared/notifyStrings.js"
};
static const unsigned char push_js[] = {
#embed "files/app/push.js"
};
static const unsigned char viewNotifications_js[] = {
#embed "files/app/viewNotifications.js"
};
