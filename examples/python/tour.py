"""A tour of the emulator over plain HTTP, from an empty world to a signed-out user.

It includes fine-grained authorization, so the emulator has its default dialect, `spec`.

    npx sallyport emulator --port 4100
    python3 examples/python/tour.py http://127.0.0.1:4100 <the administrator key that it prints>
"""

import base64
import hashlib
import json
import secrets
import sys
import time
from urllib.parse import parse_qs, urlencode, urlsplit

# Do not write __pycache__.
sys.dont_write_bytecode = True

from service import Browser, Receiver, Refused, Service

callback = "http://localhost:3000/callback"


def say(step, what):
    print(f"{step}: {what}", flush=True)


def claims_of(token):
    """Decode an access token. Use a library to verify its signature with the keys of /sso/jwks: the standard library has no RSA."""
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def make_world(administrator):
    """Create an empty world with its own API key, client id and clock, isolated from other worlds."""
    world = administrator.post("/_emulator/worlds", name="tour", seed=None, idle_ms=600_000)
    service = Service(world["base_url"], world["api_key"])
    users = service.get("/user_management/users")["data"]
    say("world", f"{world['name']} with {len(users)} users, for browsers at {urlsplit(world['url']).hostname}")
    return world, service


def restore_world(service, client_id, snapshot, tokens):
    """Restore the snapshot, sessions included."""
    service.request("POST", "/_emulator/restore", snapshot)
    restored = authenticate(service, client_id, "refresh_token", refresh_token=tokens["refresh_token"])
    say("restored", f"{restored['user']['email']} is signed in again")


def copy_world(administrator, service, ada):
    """Export a world as a seed, and create another world with the same objects."""
    seed = service.get("/_emulator/export", format="json")
    copy = administrator.post("/_emulator/worlds", name="copy", seed=seed)
    same = Service(copy["base_url"], copy["api_key"]).get(f"/user_management/users/{ada['id']}")
    say("copy", f"{same['email']} is in {copy['name']} too: {same['id'] == ada['id']}")
    administrator.delete("/_emulator/worlds/copy")


def forget_world(administrator, world, service):
    """Delete the world. Its API key stops working."""
    administrator.delete(f"/_emulator/worlds/{world['name']}")
    try:
        service.get("/organizations")
        say("forgotten", "the key still works")
    except Refused as refused:
        say("forgotten", f"{refused.status} {refused.code}")


def set_up(service):
    """Create an organization with its own role and a member, and register a redirect URI."""
    organization = service.post("/organizations", name="Acme", domain_data=[{"domain": "acme.test", "state": "verified"}])
    service.post("/_emulator/roles", slug="editor", name="Editor", permissions=["reports:write"])
    ada = service.post(
        "/user_management/users", email="ada@acme.test", first_name="Ada", password="a lantern on the mole", email_verified=True
    )
    membership = service.post(
        "/user_management/organization_memberships", user_id=ada["id"], organization_id=organization["id"], role_slug="editor"
    )
    service.post("/_emulator/redirect_uris", uri=callback)
    say("set up", f"{organization['name']} with {ada['email']} as {membership['role']['slug']}")
    return organization, ada


def sign_in_at_the_page(service, client_id):
    """Sign in on the hosted pages like a browser, with PKCE."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    query = urlencode(
        {
            "client_id": client_id,
            "redirect_uri": callback,
            "response_type": "code",
            "provider": "hosted-login",
            "state": "back to work",
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
    )
    browser = Browser()
    browser.open(f"{service.address}/user_management/authorize?{query}")
    headings = [browser.heading]
    browser.submit(email="ada@acme.test")
    headings.append(browser.heading)
    browser.submit(password="a lantern on the mole")
    back = parse_qs(urlsplit(browser.left_for).query)
    tokens = authenticate(service, client_id, "authorization_code", code=back["code"][0], code_verifier=verifier)
    say("hosted page", f"{' > '.join(headings)} > {back['state'][0]} as {tokens['user']['email']}")
    return tokens


def authenticate(service, client_id, grant_type, **fields):
    return service.post(
        "/user_management/authenticate", client_id=client_id, client_secret=service.key, grant_type=grant_type, **fields
    )


def sign_in_with_mailed_code(service, client_id):
    """Sign in with a code by email, read from the emulator's inbox."""
    service.post("/user_management/magic_auth/send", email="ada@acme.test")
    mail = service.post("/_emulator/inbox/wait_for", to="ada@acme.test", kind="magic_auth", timeout_ms=5000)
    grant = "urn:service:oauth:grant-type:magic-auth:code"
    tokens = authenticate(service, client_id, grant, email="ada@acme.test", code=mail["code"])
    say("mail", f"a code of {len(mail['code'])} digits signs in {tokens['user']['email']}")


def sign_in_without_a_browser(service, ada):
    """Sign in with a control, for tests that do not test the sign-in."""
    tokens = service.post(f"/_emulator/users/{ada['id']}/sign_in")
    claims = claims_of(tokens["access_token"])
    sessions = service.get(f"/user_management/users/{ada['id']}/sessions")["data"]
    say("control", f"session {claims['sid'] in [one['id'] for one in sessions]}, role {claims.get('role')}, {len(sessions)} sessions")


def refresh_later(service, client_id, tokens):
    """Refresh an expired access token. A refresh token works once."""
    claims = claims_of(tokens["access_token"])
    service.post("/_emulator/clock/advance", by="10m")
    now = service.get("/_emulator/clock")["now"]
    refreshed = authenticate(service, client_id, "refresh_token", refresh_token=tokens["refresh_token"])
    later = claims_of(refreshed["access_token"])
    say("clock", f"it is {now}; the token has expired: {later['iat'] > claims['exp']}; same session: {later['sid'] == claims['sid']}")
    try:
        authenticate(service, client_id, "refresh_token", refresh_token=tokens["refresh_token"])
    except Refused as refused:
        say("old refresh token", f"{refused.status} {refused.code}")
    service.post("/_emulator/clock/reset")
    return refreshed


def provision(service, organization):
    """Add users to a directory, and receive a webhook for each."""
    receiver = Receiver()
    events = ["dsync.activated", "dsync.user.created", "dsync.group.user_added"]
    receiver.secret = service.post("/webhook_endpoints", endpoint_url=receiver.address, events=events)["secret"]
    directory = service.post("/_emulator/directories", organization_id=organization["id"], name="Acme people", type="okta scim v2.0")
    group = service.post("/_emulator/directory_groups", directory_id=directory["id"], name="Harbour")
    for name in ("Grace", "Linus"):
        person = service.post(
            "/_emulator/directory_users", directory_id=directory["id"], first_name=name, email=f"{name.lower()}@acme.test"
        )
        service.post("/_emulator/directory_groups/add_user", group_id=group["id"], user_id=person["id"])
    people = service.get("/directory_users", directory=directory["id"])["data"]
    say("directory", f"{', '.join(sorted(person['first_name'] for person in people))} in {group['name']}")
    service.post("/_emulator/deliveries/wait_for")
    # Webhooks are sent in parallel, so they may arrive in another order.
    say("webhooks", f"{', '.join(sorted(event['event'] for event in receiver.events))}, each with a valid signature")
    deliveries = service.get("/_emulator/deliveries")["data"]
    say("deliveries", f"{[one['state'] for one in deliveries].count('delivered')} of {len(deliveries)} delivered")
    receiver.close()


def check_access(service):
    """Write warrants and check access."""
    types = [
        {"type": "user", "relations": {}},
        {"type": "report", "relations": {"editor": {}, "viewer": {"inherit_if": "editor"}}},
    ]
    service.request("PUT", "/fga/v1/resource-types", types)
    report = {"resource_type": "report", "resource_id": "q3"}
    ada = {"resource_type": "user", "resource_id": "ada"}
    service.post("/fga/v1/warrants", **report, relation="editor", subject=ada)
    check = service.post("/fga/v1/check", checks=[{**report, "relation": "viewer", "subject": ada}])
    say("fga", f"Ada as viewer of the report: {check['result']}")


def inject_faults(service):
    """Inject faults: one for the next request, and one sent with its own request."""
    service.post("/_emulator/faults", operation="organizations.list", status=429, retry_after_ms=7000, times=1)
    statuses = []
    for fault in ({}, {}, {"Sallyport-Fault": "status=503"}):
        try:
            service.request("GET", "/organizations", headers=fault)
            statuses.append(200)
        except Refused as refused:
            statuses.append(refused.status)
    say("faults", f"{', '.join(str(status) for status in statuses)}")


def show_activity(service):
    """List the requests and the events."""
    requests = service.get("/_emulator/requests")["data"]
    events = service.get("/events", events="user.created", limit=100)["data"]
    say("requests", f"{len(requests)} logged, the first to {requests[0]['operation']}; {len(events)} user.created")


def sign_out(service, client_id, tokens):
    """End the session and its refresh token."""
    claims = claims_of(tokens["access_token"])
    browser = Browser()
    browser.open(f"{service.address}/user_management/sessions/logout?{urlencode({'session_id': claims['sid']})}")
    try:
        authenticate(service, client_id, "refresh_token", refresh_token=tokens["refresh_token"])
        say("signed out", "the refresh token still works")
    except Refused as refused:
        say("signed out", f"{refused.status} {refused.code}")


def main(address, admin_key):
    began = time.time()
    administrator = Service(address, admin_key)
    world, service = make_world(administrator)
    client_id = world["client_id"]
    organization, ada = set_up(service)
    tokens = sign_in_at_the_page(service, client_id)
    sign_in_with_mailed_code(service, client_id)
    sign_in_without_a_browser(service, ada)
    tokens = refresh_later(service, client_id, tokens)
    provision(service, organization)
    check_access(service)
    inject_faults(service)
    show_activity(service)
    snapshot = service.request("POST", "/_emulator/snapshot")
    sign_out(service, client_id, tokens)
    restore_world(service, client_id, snapshot, tokens)
    copy_world(administrator, service, ada)
    forget_world(administrator, world, service)
    say("done", f"in {time.time() - began:.1f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
