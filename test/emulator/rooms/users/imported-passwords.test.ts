import { describe, expect, test } from 'vitest';
import { signingIn } from '../../sign-in/signing-in.js';

// These hashes were made with Python's hashlib and libxcrypt. The Firebase hash is the published example of its scrypt tool,
// made again with hashlib and OpenSSL.
const vectors = {
  'bcrypt (cost 5)': {
    type: 'bcrypt',
    hash: '$2b$05$abcdefghijklmnopqrstuuFiPhXf1sVd3pCCRO.uVh34H/qI/ZsuS',
    password: 'correct horse battery staple',
  },
  'salted SHA-1': {
    type: 'ssha',
    hash: '{SSHA}o7B+j1mFfbmEwTcG4Xb9GJL9mOYAAQIDBAUGBw==',
    password: 'correct horse battery staple',
  },
  'salted SHA-256': {
    type: 'ssha',
    hash: '{SSHA256}G/QFDZcE49wdz+D7yZ/NjEI9gB2RFYr+GlL07AKGkc8AAQIDBAUGBwgJCgsMDQ4P',
    password: 'correct horse battery staple',
  },
  scrypt: {
    type: 'scrypt',
    hash: '$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$11kKyiyYAc8G7rp3KmncMc44YlkdllIqxOa7pq0fMaU',
    password: 'correct horse battery staple',
  },
  'acme-scrypt (non-ASCII password)': {
    type: 'acme-scrypt',
    hash: '$scrypt$n=1024,r=4,p=3$AAECAwQFBgcICQoLDA0ODw==$rU71n1L1O4u1e+Xdhh1gKJ2beJsrSD5AfN9rhkrw5WhiMzwPv+SQuNd7NsW3hZO3yBCbs73iAKfH0/k/BxvvDA==',
    password: 'pässwörd',
  },
  'firebase-scrypt': {
    type: 'firebase-scrypt',
    hash:
      '$firebase-scrypt$hash=lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==' +
      '$salt=42xEC+ixf3L2lw==$sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==' +
      '$ss=Bw==$r=8$m=14',
    password: 'user1password',
  },
};

/** Starts an emulator whose user has a password that was hashed elsewhere. */
async function imported(type: string, hash: string) {
  const world = await signingIn();
  await world.user('ada@example.com', { password: undefined, password_hash: hash, password_hash_type: type });
  const signIn = (password: string) => world.grant('password', { email: 'ada@example.com', password });
  return { ...world, signIn };
}

describe('an imported password', () => {
  test.each(Object.entries(vectors))(
    'hashed with %s is accepted at sign-in, and a wrong password is rejected',
    async (_, { type, hash, password }) => {
      const { signIn } = await imported(type, hash);

      const right = await signIn(password);
      const wrong = await signIn(`${password} `);

      expect([right.status, wrong.status, wrong.body.code]).toEqual([200, 400, 'invalid_credentials']);
    },
  );

  test.each([
    ['argon2', '$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2g'],
    ['pbkdf2', '$pbkdf2-sha256$i=600000$c2FsdHNhbHQ$aGFzaGhhc2g'],
    ['bcrypt', 'not a hash'],
    ['bcrypt', '$2b$03$MNtO/.KNHEoBQHentRIJNeSjvKB2qkaEa4XEsgARRb2yeSb.Roiie'],
    ['bcrypt', '$2b$99$MNtO/.KNHEoBQHentRIJNeSjvKB2qkaEa4XEsgARRb2yeSb.Roiie'],
    ['ssha', '{SSHA}c2hvcnQ='],
    ['ssha', '{MD5}X03MO1qnZdYdgyfeuILPmQ=='],
    ['scrypt', '$scrypt$ln=14,r=8$AAECAwQFBgcICQoLDA0ODw$11kKyiyYAc8G7rp3KmncMc44YlkdllIqxOa7pq0fMaU'],
    ['scrypt', '$scrypt$n=1000,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$11kKyiyYAc8G7rp3KmncMc44YlkdllIqxOa7pq0fMaU'],
    ['scrypt', '$scrypt$ln=40,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$11kKyiyYAc8G7rp3KmncMc44YlkdllIqxOa7pq0fMaU'],
    ['firebase-scrypt', '$firebase-scrypt$hash=AAAA$salt=AAAA$r=8$m=14'],
    ['scrypt', '$scrypt$ln=14,r=8,p=1$***$***'],
  ])('with the unsupported %s hash %j is rejected at sign-in', async (type, hash) => {
    const { signIn } = await imported(type, hash);

    const { status, body } = await signIn('correct horse battery staple');

    expect([status, body.code]).toEqual([400, 'password_hash_unsupported']);
    expect(body.message).toContain(`"${type}"`);
    expect(body.message).not.toContain(hash);
  });
});
