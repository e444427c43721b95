import { Sallyport } from 'sallyport';
import { createSessions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { BrowserClient } from '../../src/browser/client.js';
import { user as described } from '../../src/service/users.js';
import { type Entries, usersOf, wireUser } from './three-ways.js';

describe('a user is decoded identically by the client, sessions and browsers', () => {
  const entries: Entries = { Sallyport, createSessions, BrowserClient };

  test('with every field', async () => {
    const expected = {
      object: 'user',
      id: 'user_01',
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      firstName: 'Ada',
      lastName: 'Lovelace',
      emailVerified: true,
      profilePictureUrl: 'https://images.test/ada.png',
      externalId: 'crm-7',
      metadata: { favourite_colour: 'green' },
      lastSignInAt: '2026-01-01T00:00:00.000Z',
      locale: 'en-GB',
      createdAt: '2025-01-01T00:00:00.000Z',
      updatedAt: '2025-06-01T00:00:00.000Z',
    };

    const users = await usersOf(entries, wireUser);

    expect(users).toEqual({ client: expected, session: expected, browser: expected });
    expect(Object.keys(described.shape).filter((name) => !(name in expected))).toEqual([]);
  });

  test('with only the required fields', async () => {
    const { object, id, email, email_verified, created_at, updated_at } = wireUser;
    const expected = {
      object: 'user',
      id: 'user_01',
      email: 'ada@example.com',
      firstName: null,
      lastName: null,
      emailVerified: true,
      profilePictureUrl: null,
      externalId: null,
      lastSignInAt: null,
      locale: null,
      createdAt: '2025-01-01T00:00:00.000Z',
      updatedAt: '2025-06-01T00:00:00.000Z',
    };

    const users = await usersOf(entries, { object, id, email, email_verified, created_at, updated_at });

    expect(users).toEqual({ client: expected, session: expected, browser: expected });
  });

  test('with an unknown field, which keeps its wire name', async () => {
    const { client, session, browser } = await usersOf(entries, { ...wireUser, shoe_size: 38 });

    expect([client, session, browser]).toEqual(Array(3).fill(expect.objectContaining({ shoe_size: 38 })));
  });
});
