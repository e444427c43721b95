#!/usr/bin/env bash
# A world for a test, by HTTP alone: for Cypress, for other languages, for a shell.
#
#   npx sallyport emulator --admin-key ak_for_tests_only &
#   ADMIN_KEY=ak_for_tests_only examples/testing/world.sh
set -euo pipefail
emulator=${EMULATOR_URL:-http://localhost:4100}
json() { node -pe "JSON.parse(require('fs').readFileSync(0, 'utf8'))$1"; }
control() { curl -sS --fail-with-body -X "$1" "$emulator$2" -H "Authorization: Bearer $3" -H 'Content-Type: application/json' ${4:+-d "$4"}; }

# Begin: the world has an API key of its own, which opens the service and the controls.
world=$(control POST /_emulator/worlds "$ADMIN_KEY" '{"clock": "2030-01-01T00:00:00.000Z", "seed": {
  "organizations": [{"id": "org_acme", "name": "Acme"}],
  "users": [{"id": "user_ada", "email": "ada@acme.test", "email_verified": true}],
  "memberships": [{"user_id": "user_ada", "organization_id": "org_acme"}]
}}')
name=$(json .name <<<"$world")
key=$(json .api_key <<<"$world")
trap 'control DELETE "/_emulator/worlds/$name" "$ADMIN_KEY" >/dev/null' EXIT

# Sign somebody in without a browser, and call your application with the access token.
tokens=$(control POST /_emulator/users/user_ada/sign_in "$key" '{"organization_id": "org_acme"}')
echo "signed in: $(json .user.email <<<"$tokens") in $(json .organization_id <<<"$tokens")"

# Mail: whatever your application sends is waited for.
control POST /user_management/magic_auth/send "$key" '{"email": "ada@acme.test"}' >/dev/null
echo "mail: $(control POST /_emulator/inbox/wait_for "$key" '{"to": "ada@acme.test", "kind": "magic_auth"}' | json .subject)"

# Events, in the same way.
echo "event: $(control POST /_emulator/events/wait_for "$key" '{"event": "session.created", "match": {"user_id": "user_ada"}}' | json .event)"

# Time is this world's own.
echo "clock: $(control POST /_emulator/clock/advance "$key" '{"by": "31d"}' | json .now)"
