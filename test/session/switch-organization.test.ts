import { Secret, TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { Jar } from './jar.js';
import { replica, type SignedIn, signedIn, tampered } from './signed-in.js';

/** Ada, a member of Acme and of Babbage but not of Colossus, and signed in to none of them. */
async function member() {
  const world = await signedIn();
  const { organizations, userManagement } = world.sallyport;
  const [acme, babbage, colossus] = await Promise.all(
    ['Acme', 'Babbage', 'Colossus'].map((name) => organizations.createOrganization({ name })),
  );
  for (const { id } of [acme!, babbage!])
    await userManagement.createOrganizationMembership({ userId: world.tokens.user.id, organizationId: id });
  return { ...world, acme: acme!.id, babbage: babbage!.id, colossus: colossus!.id };
}

describe('an organization switch', () => {
  test('returns the session in the new organization, and a new cookie', async () => {
    const world = await member();

    const result = await world.sessions().switchOrganization(world.jar.request, world.acme);
    world.jar.keep(result.headers);

    expect(result).toMatchObject({
      status: 'refreshed',
      session: { organizationId: world.acme, role: 'member', user: { firstName: 'Ada' } },
    });
    expect(await world.sessions().handle(world.jar.request)).toMatchObject({
      status: 'active',
      session: { organizationId: world.acme },
    });
  });

  test('to the current organization has no effect', async () => {
    const world = await member();
    world.jar.keep((await world.sessions().switchOrganization(world.jar.request, world.acme)).headers);

    const result = await world.sessions().switchOrganization(world.jar.request, world.acme);

    expect(result).toMatchObject({ status: 'active', session: { organizationId: world.acme } });
    expect(world.rotations()).toBe(1);
  });

  test('also refreshes an expired session', async () => {
    const world = await member();
    world.emulator.clock.advance('6m');

    const result = await world.sessions().switchOrganization(world.jar.request, world.acme);

    expect(result).toMatchObject({ status: 'refreshed', session: { organizationId: world.acme } });
    expect(world.rotations()).toBe(1);
  });

  test('without a session returns the status signed_out', async () => {
    const world = await member();

    const result = await world.sessions().switchOrganization({ headers: {} }, world.acme);

    expect(result).toMatchObject({ status: 'signed_out', reason: 'no_cookie' });
  });

  test('for a session that has ended returns the status signed_out', async () => {
    const world = await member();
    world.emulator.clock.advance('31d');

    const result = await world.sessions().switchOrganization(world.jar.request, world.acme);

    expect(result).toMatchObject({ status: 'signed_out', reason: 'invalid_grant' });
  });

  test('during an outage returns the status retry_later and keeps the cookie', async () => {
    const world = await member();
    await world.emulator.faults.add({ operation: 'userManagement.authenticateWithRefreshToken', status: 503 });

    const result = await world
      .sessions({ refresh: { maxRetries: 0 } })
      .switchOrganization(world.jar.request, world.acme);

    expect(result).toMatchObject({ status: 'retry_later', reason: 'service_unavailable' });
    expect([...result.headers]).toEqual([]);
  });
});

describe('a rejected organization switch', () => {
  test('leaves the session unchanged', async () => {
    const world = await member();
    world.jar.keep((await world.sessions().switchOrganization(world.jar.request, world.acme)).headers);

    const result = await world.sessions().switchOrganization(world.jar.request, world.colossus);
    world.jar.keep(result.headers);

    expect(result).toMatchObject({
      status: 'refused',
      reason: 'user_not_organization_member',
      step: undefined,
      session: { organizationId: world.acme },
    });
    expect(await world.sessions().handle(world.jar.request)).toMatchObject({
      status: 'active',
      session: { organizationId: world.acme },
    });
  });

  test('can be retried after the user joins the organization', async () => {
    const world = await member();
    const { colossus, tokens, sallyport } = world;
    world.jar.keep((await world.sessions().switchOrganization(world.jar.request, colossus)).headers);
    await sallyport.userManagement.createOrganizationMembership({ userId: tokens.user.id, organizationId: colossus });

    const result = await world.sessions().switchOrganization(world.jar.request, colossus);

    expect(result).toMatchObject({ status: 'refreshed', session: { organizationId: colossus } });
  });

  test('returns the sign-in step that the organization requires', async () => {
    const world = await member();
    const fetch = tampered(world.emulator, async (send, request) =>
      (await request.clone().text()).includes('organization_id')
        ? Response.json(
            {
              error: 'sso_required',
              error_description: 'Sign in by SSO',
              email: 'ada@example.com',
              connection_ids: ['conn_01'],
              pending_authentication_token: 'pending_01',
            },
            { status: 400 },
          )
        : send(),
    );

    const result = await world.sessions({ fetch }).switchOrganization(world.jar.request, world.acme);

    expect(result).toMatchObject({
      status: 'refused',
      reason: 'sso_required',
      step: { reason: 'sso_required', connectionIds: ['conn_01'], pendingAuthenticationToken: 'pending_01' },
      session: { organizationId: null },
    });
    expect(result.headers.getSetCookie()).toHaveLength(1);
  });

  test("returns the service's code for a sign-in step that the client does not know", async () => {
    const world = await member();
    const fetch = tampered(world.emulator, async (send, request) =>
      (await request.clone().text()).includes('organization_id')
        ? Response.json({ error: 'retina_scan_required', pending_authentication_token: 'pending_01' }, { status: 401 })
        : send(),
    );

    const result = await world.sessions({ fetch }).switchOrganization(world.jar.request, world.acme);

    expect(result).toMatchObject({
      status: 'refused',
      reason: 'sign_in_step_required',
      step: {
        reason: 'sign_in_step_required',
        type: 'other',
        pendingAuthenticationToken: 'pending_01',
        serviceCode: 'retina_scan_required',
      },
      session: { organizationId: null },
    });
  });
});

describe('an organization that requires a second factor', () => {
  /** Acme requires one, and Ada has signed in without one. */
  async function strict() {
    const world = await member();
    await world.emulator.setAuthenticationPolicy(world.acme, { mfaRequired: true });
    const switchThere = () => world.sessions().switchOrganization(world.jar.request, world.acme);
    return { ...world, switchThere };
  }

  test('rejects a switch until the user enrolls a factor', async () => {
    const { tokens, switchThere } = await strict();

    const result = await switchThere();

    expect(result).toMatchObject({
      status: 'refused',
      reason: 'mfa_enrollment',
      step: { reason: 'mfa_enrollment', pendingAuthenticationToken: expect.any(String), userId: tokens.user.id },
      session: { organizationId: null },
    });
  });

  test('accepts a user who completes a challenge for the enrolled factor', async () => {
    const { emulator, sallyport, tokens, acme, sessions, switchThere } = await strict();
    const { authenticationFactor: factor } = await sallyport.userManagement.enrollAuthFactor({
      userId: tokens.user.id,
      type: 'totp',
    });

    const refused = await switchThere();
    const pending = 'step' in refused && refused.step?.reason === 'mfa_challenge' ? refused.step : undefined;
    const challenge = await sallyport.mfa.challengeFactor({ authenticationFactorId: factor.id });
    const proven = await sallyport.userManagement.authenticateWithTotp({
      code: new TOTP({ secret: Secret.fromBase32(factor.totp!.secret!) }).generate({ timestamp: emulator.clock.now() }),
      pendingAuthenticationToken: pending!.pendingAuthenticationToken,
      authenticationChallengeId: challenge.id,
    });
    const jar = new Jar();
    jar.keep(await sessions().create(proven));

    expect(refused).toMatchObject({ status: 'refused', reason: 'mfa_challenge' });
    expect(pending?.authenticationFactors).toEqual([{ id: factor.id, type: 'totp' }]);
    expect(await sessions().handle(jar.request)).toMatchObject({ session: { organizationId: acme } });
  });
});

describe('with one session cookie,', () => {
  test.each([
    ['in one process', (world: SignedIn) => [world.sessions(), world.sessions()] as const],
    ['in two processes', (world: SignedIn) => [replica(world), replica(world)] as const],
  ])('a switch and a later refresh both succeed %s', async (_, pair) => {
    const world = await member();
    world.emulator.clock.advance('6m');
    const [one, two] = pair(world);

    const switched = await one.switchOrganization(world.jar.request, world.acme);
    const late = await two.handle(world.jar.request);

    expect([switched, late]).toEqual([
      expect.objectContaining({
        status: 'refreshed',
        session: expect.objectContaining({ organizationId: world.acme }),
      }),
      expect.objectContaining({
        status: 'refreshed',
        session: expect.objectContaining({ organizationId: world.acme }),
      }),
    ]);
    expect(world.rotations()).toBe(1);
  });

  test.each([
    ['in one process', (world: SignedIn) => [world.sessions(), world.sessions()] as const],
    ['in two processes', (world: SignedIn) => [replica(world), replica(world)] as const],
  ])('a refresh and a later switch both succeed %s', async (_, pair) => {
    const world = await member();
    world.emulator.clock.advance('6m');
    const [one, two] = pair(world);

    const refreshed = await one.handle(world.jar.request);
    const switched = await two.switchOrganization(world.jar.request, world.acme);

    expect(refreshed).toMatchObject({ status: 'refreshed', session: { organizationId: null } });
    expect(switched).toMatchObject({ status: 'refreshed', session: { organizationId: world.acme } });
  });

  test('a switch and a simultaneous refresh both succeed', async () => {
    const world = await member();
    for (let round = 0; round < 10; round++) {
      world.emulator.clock.advance('6m');
      const target = round % 2 === 0 ? world.acme : world.babbage;

      const results = await Promise.all([
        replica(world).handle(world.jar.request),
        replica(world).switchOrganization(world.jar.request, target),
        replica(world).handle(world.jar.request),
        world.sessions().switchOrganization(world.jar.request, target),
      ]);
      world.jar.keep(results[1]!.headers);

      expect(results.map(({ status }) => status)).toEqual(['refreshed', 'refreshed', 'refreshed', 'refreshed']);
      expect(results[1]!.session?.organizationId).toBe(target);
      expect(results[3]!.session?.organizationId).toBe(target);
    }
  });

  test('two simultaneous switches each return the requested organization', async () => {
    const world = await member();

    const [acme, babbage] = await Promise.all([
      replica(world).switchOrganization(world.jar.request, world.acme),
      replica(world).switchOrganization(world.jar.request, world.babbage),
    ]);

    expect(acme.session?.organizationId).toBe(world.acme);
    expect(babbage.session?.organizationId).toBe(world.babbage);
  });
});
