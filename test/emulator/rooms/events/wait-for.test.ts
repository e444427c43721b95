import { describe, expect, test } from 'vitest';
import { stage } from '../../../stage.js';

const messageOf = ({ message }: Error) => message;

describe('events.waitFor', () => {
  test('returns each past event only once', async () => {
    const { emulator, send } = await stage();
    await send('POST /organizations', { name: 'Acme' });
    await send('POST /organizations', { name: 'Bolt' });

    const names = [];
    for (let times = 0; times < 2; times++)
      names.push((await emulator.events.waitFor({ event: 'organization.created' })).data.name);

    expect(names).toEqual(['Acme', 'Bolt']);
    await expect(emulator.events.waitFor({ timeoutMs: 0 })).rejects.toMatchObject({ code: 'no_event' });
  });

  test('returns a new event to the longest-waiting caller', async () => {
    const { emulator, send } = await stage();
    const first = emulator.events.waitFor({ event: 'user.created' });
    const second = emulator.events.waitFor({ event: 'user.created' });

    await send('POST /user_management/users', { email: 'ada@example.com' });
    await send('POST /user_management/users', { email: 'bob@example.com' });

    expect([(await first).data.email, (await second).data.email]).toEqual(['ada@example.com', 'bob@example.com']);
  });

  test.each([
    ['camelCase names', { emailVerified: true, metadata: { team: 'dock' } }],
    ['wire names', { email_verified: true, metadata: { team: 'dock' } }],
  ])('can match fields in the event data by %s', async (_, match) => {
    const { emulator, send } = await stage();
    await send('POST /user_management/users', { email: 'bob@example.com', metadata: { team: 'dock' } });
    const fields = { email_verified: true, metadata: { team: 'dock', shift: 'late' } };
    await send('POST /user_management/users', { email: 'ada@example.com', ...fields });

    const { data } = await emulator.events.waitFor({ event: 'user.created', match, timeoutMs: 0 });

    expect(data.email).toBe('ada@example.com');
  });

  test('fails with an error that lists past events and mismatched fields', async () => {
    const { emulator, send } = await stage();
    await send('POST /organizations', { name: 'Acme' });
    await send('POST /user_management/users', { email: 'bob@example.com' });

    const wait = emulator.events.waitFor({
      event: 'user.created',
      match: { email: 'ada@example.com', emailVerified: true },
      timeoutMs: 0,
    });

    expect(await wait.catch(messageOf)).toBe(
      'No user.created with {"email":"ada@example.com","emailVerified":true} occurred within 0 ms. Events so far: organization.created, user.created with {"email":"bob@example.com","email_verified":false}. Check the type and the data. A seed does not emit events.',
    );
  });

  test('times out with an error that summarizes earlier events, or says that there were none', async () => {
    const { emulator, send } = await stage();
    const none = await emulator.events.waitFor({ timeoutMs: 0 }).catch(messageOf);
    for (let count = 0; count < 12; count++) await send('POST /organizations', { name: 'Acme' });

    const many = await emulator.events.waitFor({ event: 'user.created', timeoutMs: 0 }).catch(messageOf);

    expect(none).toContain('No events have occurred.');
    expect(many).toContain('Events so far: 2 earlier events, then organization.created, ');
  });

  test('fails if the world is reset', async () => {
    const { emulator } = await stage();
    const wait = emulator.events.waitFor({ event: 'user.created' });

    await emulator.reset();

    await expect(wait).rejects.toMatchObject({ status: 409, code: 'closed' });
  });

  test('does not use up an event if the caller has disconnected', async () => {
    const { emulator, send } = await stage();
    const gone = new AbortController();
    const request = emulator.fetch('/_emulator/events/wait_for', {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' },
      body: '{"event":"organization.created"}',
      signal: gone.signal,
    });
    gone.abort();
    await request.catch(() => undefined);

    await send('POST /organizations', { name: 'Acme' });

    expect((await emulator.events.waitFor({ timeoutMs: 1_000 })).data.name).toBe('Acme');
  });
});
