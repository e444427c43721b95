#!/usr/bin/env bash
# A test world over plain HTTP, for Cypress, other languages or a shell.
#
#   npx sallyport emulator --dialect workos --admin-key ak_for_tests_only &
#   ADMIN_KEY=ak_for_tests_only examples/testing/world.sh
set -euo pipefail
emulator=${EMULATOR_URL:-http://localhost:4100}
json() { node -pe "JSON.parse(require('fs').readFileSync(0, 'utf8'))$1"; }
control() { curl -sS --fail-with-body -X "$1" "$emulator$2" -H "Authorization: Bearer $3" -H 'Content-Type: application/json' ${4:+-d "$4"}; }

# Create a world. Its API key works for the service and for the controls.
world=$(control POST /_emulator/worlds "$ADMIN_KEY" '{"clock": "2030-01-01T00:00:00.000Z", "seed": {
  "organizations": [{"id": "org_acme", "name": "Acme"}],
  "users": [{"id": "user_ada", "email": "ada@acme.test", "email_verified": true}],
  "memberships": [{"user_id": "user_ada", "organization_id": "org_acme"}]
}}')
name=$(json .name <<<"$world")
key=$(json .api_key <<<"$world")
trap 'control DELETE "/_emulator/worlds/$name" "$ADMIN_KEY" >/dev/null' EXIT

# Sign a user in without a browser, to call your application with the access token.
tokens=$(control POST /_emulator/users/user_ada/sign_in "$key" '{"organization_id": "org_acme"}')
echo "signed in: $(json .user.email <<<"$tokens") in $(json .organization_id <<<"$tokens")"

# Wait for an email that your application sends.
control POST /user_management/invitations "$key" '{"email": "bob@acme.test", "organization_id": "org_acme"}' >/dev/null
echo "mail: $(control POST /_emulator/inbox/wait_for "$key" '{"to": "bob@acme.test", "kind": "invitation"}' | json .subject)"

# Wait for an event in the same way.
echo "event: $(control POST /_emulator/events/wait_for "$key" '{"event": "session.created", "match": {"user_id": "user_ada"}}' | json .event)"

# Move the clock of this world.
echo "clock: $(control POST /_emulator/clock/advance "$key" '{"by": "31d"}' | json .now)"
