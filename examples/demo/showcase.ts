import type { Sallyport } from 'sallyport';
import type { Emulator } from 'sallyport/emulator';

/** Objects that the demo created. */
export interface Showcase {
  readonly emulator: Emulator;
  readonly sallyport: Sallyport;
  readonly organizationId: string;
  /** A member of the organization. */
  readonly userId: string;
}

/** Add more data for the console: sessions, a second factor, mail, a connection, a second world, a fault. */
export async function showcase({ emulator, sallyport, organizationId, userId }: Showcase): Promise<void> {
  const { userManagement } = sallyport;
  for (const userAgent of ['Firefox on a laptop', 'Safari on a phone'])
    await emulator.signInAs(userId, { organizationId, ipAddress: '192.0.2.7', userAgent });
  await userManagement.enrollAuthFactor({
    userId,
    type: 'totp',
    totpIssuer: 'Northwind',
    totpUser: 'ada@northwind.test',
  });
  await emulator.createConnection({ organizationId, name: 'Northwind Okta', connectionType: 'OktaSAML' });
  await userManagement.sendInvitation({ email: 'frank@northwind.test', organizationId, expiresInDays: 7 });
  await userManagement.sendMagicAuthCode({ email: 'bruno@northwind.test' });
  await emulator.worlds.create({ name: 'checkout', seed: { organizations: [{ name: 'Acme' }] } });
  await emulator.faults.add({ operation: 'organizations.delete', share: 0.5, status: 503 });
  await emulator.waitForDeliveries();
}

/** Resolves when the user presses Ctrl+C. */
export const untilInterrupted = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
