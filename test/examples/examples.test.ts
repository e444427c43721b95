import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { programsOf } from '../builds/programs.js';
import { takesLong } from '../runner/requirements.js';

const run = promisify(execFile);
/** Runs a file with Node. */
const runFile = (...args: string[]) =>
  run(process.execPath, args, { timeout: 120_000, env: { ...process.env, NO_COLOR: '1' } });

/** A pattern that the output of each example must match. */
const expectedOutput: Readonly<Record<string, RegExp>> = {
  'audit-logs.ts': /report\.exported.*user_ada/,
  'alongside-workos.ts':
    /^200 \{ email: 'ada@acme\.test', mayPlan: false \}\n200 \{ email: 'ada@acme\.test' \}\n401 \{ status: 'signed_out' \}\n401 \{ status: 'expired' \}\n$/,
  'configuration.ts':
    /^created Acme with the key of the environment\nsigned_out signed_out\nwith another key: unauthorized\nmissing_api_key .*SALLYPORT_API_KEY.*\n$/,
  'delete-user.ts':
    /^session: signed_out (?:session_revoked|user_deleted)\naccounts: 0 invoices: \[ \{ account_id: null, amount: 1200 \} \]\ndirectory users: \[ 'ada@acme\.test' \]\nevents about the user: 1\n$/,
  'devices.ts':
    /signed in: (Phone, Laptop, this one|Laptop, this one, Phone)\nafter the button: Laptop, this one\nthe phone, two minutes later: signed_out\nstaff@vendor\.test acts as ada@acme\.test: Ticket 7/,
  'directory-sync.ts': /Docks has 2 members/,
  'events.ts': /since then: organization_membership\.created/,
  'exactly-once.ts':
    /user\.deleted of bo@acme\.test applied\nuser\.created of bo@acme\.test superseded\nuser\.created of ada@acme\.test applied\n(?:.* duplicate\n){3}accounts: \[ \{ email: 'ada@acme\.test' \} \]\nmails: dead_letter\nevent_\w+ user\.created Error: the mail server is down/,
  'express.ts': /Hello stranger\nThe account of ada@acme\.test\nHello ada@acme\.test\nHello stranger/,
  'express-production.ts':
    /^\/livez ok\n\/readyz OK\nHello stranger\nThe account of ada@acme\.test\nHello ada@acme\.test\nHello stranger\nstopped\n$/,
  'fastify.ts': /Hello stranger\nThe account of ada@acme\.test\nHello ada@acme\.test\nHello stranger/,
  'fetch-handler.ts': /Hello stranger\n\/account of ada@acme\.test\n\/ of ada@acme\.test\nHello stranger/,
  'health.ts': /^\/livez 200 ok\n\/readyz 200 \n\/healthz 200 live: .*\nfollowing: .*\n\/ 200 signed_out\nstopped\n$/,
  'fga.ts':
    /Ada can view the report: true \(by inheritance\)\nAda can view q3\n[\s\S]*after leaving the team: false\nwarrants of Ada: 0\n$/,
  'hono.ts': /Hello stranger\nThe account of ada@acme\.test\nHello ada@acme\.test\nHello stranger/,
  'legacy.ts': /bruno is in (Operations, Docks|Docks, Operations)/,
  'limits.ts':
    /^without limits: 5 answered, 7 refused\nwith limits: 12 answered, 0 refused\nuser_management_reads: \d of 5 in use\ntwo replicas: 12 answered, 0 refused\n$/,
  'members.ts':
    /Invited hana@acme\.test\.\nThere is an invitation for this address already\.\nhana@acme\.test of org_acme as member\n.*hana@acme\.test \(admin\).*\nAcme, Globex\nWelcome to org_globex\nhana@acme\.test of org_globex as member\n$/,
  'observability.ts':
    /^channel get ok\nsallyport request POST \/organizations attempt 1, call \w+-1\nspan POST \/organizations 503 resend 0\nsallyport response POST \/organizations attempt 1, call \w+-1, status 503, \d+ ms, req_\w+\nsallyport retry POST \/organizations attempt 1, call \w+-1, status 503, because of status, again in \d+ ms\n[\s\S]*created Acme after 2 attempts; request req_\w+\n[\s\S]*\norganizations\.getOrganization: not_found\n$/,
  'offboarding.ts':
    /^joined: 1 member, ada@acme\.test\nleft: 0 members, session signed_out\nsigns in again: 403 not_allowed: not_in_directory members: 0\ncame back: 1 member, ada@acme\.test\ndirectory deleted: 0 members\n$/,
  'mirror.ts':
    /^copied: ada@acme\.test \(no name\), bo@acme\.test \(no name\)\njoined: \[\{"name":"Acme","amount":1200\}\]\nfollowed: ada@acme\.test \(Ada\)\nrole: admin\ndifferences: 0\n$/,
  'mfa.ts':
    /a guess is valid: false[\s\S]*the code of the app is valid: true[\s\S]*the code of the message is valid: true\nfactors left: 0/,
  'organization-domains.ts': /verification requested, still pending[\s\S]*now verified/,
  'organizations.ts': /audit logs are kept for 365 days/,
  'passwords.ts':
    /^verified: true\nreset by https:\/\/app\.acme\.test\/reset\nrefused: invalid_credentials\nrefused: password_strength_error\nsigned in: ada@acme\.test\nnow ada@lovelace\.test\nwait \d+ seconds\n$/,
  'passwordless.ts': /returns to http:\/\/localhost:3000\/callback with a code: true/,
  'portal.ts': /opens with 200[\s\S]*six minutes later it answers 410/,
  'revocations.ts': /^true\nada@example\.com\nsigned_out session_revoked\ntrue\n$/,
  'security.ts':
    /^__Host-session=…; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=34560000\nHello ada@acme\.test\n200 from this site\n403 from a neighbor\n204 for a preflight\n302 true\n$/,
  'roles.ts':
    /member may: nothing\n[\s\S]*before the refresh: 403 .*\nafter the refresh: 200 [\s\S]*Reports<\/a>\n403 /,
  'sign-in.ts':
    /organization_selection_required\n.*to org_northwind[\s\S]*email_verification_required[\s\S]*mfa_enrollment[\s\S]*mfa_challenge[\s\S]*sso_required\n.*to org_fabrikam[\s\S]*organization_authentication_methods_required\nerin[\s\S]*refused: invalid_credentials/,
  'sso.ts': /Northwind Okta OktaSAML active[\s\S]*Ada of org_northwind by OktaSAML[\s\S]*from the access token: true/,
  'sso-sessions.ts':
    /Northwind Okta\nada@northwind\.test of org_northwind\n.*Fabrikam Entra\ngwen@fabrikam\.test of org_fabrikam\n.*on the hosted page\nchiara@tailspin\.test of org_tailspin\n$/,
  'streams.ts':
    /ada@acme\.test - 1 dead letter: Error: no such department\nfollowing: lag [\d.]+ s, 0 in flight, 0 waiting, 2 handled, .*\nafter a restart: ada@acme\.test bob@acme\.test\nafter a poke: ada@acme\.test\n/,
  'stores.ts':
    /the store passes all \d+ checks\nthe report is created by 1 of 3\nrefreshed, refreshed, refreshed by 1 refresh\n$/,
  'troubleshooting.ts':
    /^(?=[\s\S]*^signed_out forged$)(?=[\s\S]*^forged: A session cookie could not be opened)(?=[\s\S]*^failed no_pending_flow$)[\s\S]*^400 signature_mismatch\n.*nothing rewrote the body\.\n$/m,
  'user-management.ts': /verified: true[\s\S]*four days later the invitation is expired/,
  'web-app.ts':
    /200 Hello stranger\.\n200 Signed in as ada@example\.com[\s\S]*10 of 10 signed in, refreshes: 1\n200 Hello stranger\./,
  'webhooks.ts':
    /^welcome ada@acme\.test\ngoodbye ada@acme\.test\nanswered with 200 duplicate\n[\s\S]*answered with 400 header_missing\n$/,
};

takesLong('the example program', () => {
  const programs = programsOf(Object.keys(expectedOutput).map((name) => `examples/${name}`));

  test('in each file of examples/ except demo.ts has an expected output', () => {
    const files = readdirSync('examples').filter((name) => name.endsWith('.ts') && name !== 'demo.ts');

    expect(files.sort()).toEqual(Object.keys(expectedOutput).sort());
  });

  describe.each(Object.entries(expectedOutput))('examples/%s', (name, line) => {
    test('runs to completion and prints the expected output', { timeout: 150_000 }, async () => {
      const { stdout, stderr } = await runFile(programs.file(name.replace('.ts', '')));

      expect(stderr).toBe('');
      expect(stdout).toMatch(line);
    });
  });

  test('examples/demo.ts runs to completion with tsx and prints the expected counts', {
    timeout: 150_000,
  }, async () => {
    const { stdout } = await runFile('--import', 'tsx', 'examples/demo.ts');

    expect(stdout).toMatch(/Run npm run demo -- --stay to keep it open\.\n$/);
    expect(stdout).toMatch(/all 2,500 were listed, none twice/);
    expect(stdout).toMatch(/Walk 2,500 directory users +25 /);
    expect(stdout).toMatch(/✓ the stream delivered \d+ events before the restart and \d+ after it, all 51 of the list/);
    expect(stdout).toMatch(/✓ its handlers wrote (\d+) times, for \1 events/);
    expect(stdout).toMatch(/two minutes later, by webhook: \d+ applied, \d+ superseded, [1-9]\d* duplicates/);
    // The code, the keys, the keys again ten minutes later, one refresh and the end of the session.
    expect(stdout).toMatch(
      /Sign in on the hosted page, race refreshes, sign out +5 .* 10 raced, 1 refresh, 0 sign-outs/,
    );
  });
});
