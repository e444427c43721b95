import {
  ConfigurationError,
  isSallyportError,
  NotFoundError,
  type Organization,
  Sallyport,
  SallyportError,
} from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { signWebhook, verifyWebhook, WebhookVerificationError } from 'sallyport/webhooks';

export async function main(): Promise<void> {
  const emulator = await createEmulator();
  const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

  const organization: Organization = await sallyport.organizations.createOrganization({ name: 'Acme' });
  const createdAt: string = organization.createdAt;
  // @ts-expect-error No field has this name.
  organization.creatdAt;
  // @ts-expect-error A name is a string.
  sallyport.organizations.createOrganization({ name: 42 });

  for await (const user of sallyport.directorySync.listUsers({ directory: 'directory_42' })) {
    const id: string = user.id;
    // @ts-expect-error An id is a string.
    const wrong: number = user.id;
    void [id, wrong];
  }
  const page = await sallyport.userManagement.listUsers({ limit: 50 });
  const after: string | null | undefined = page.listMetadata.after;
  const { data, response } = await sallyport.organizations.getOrganization(organization.id).withResponse();
  const name: string = data.name;

  try {
    await sallyport.organizations.getOrganization('org_42', { timeoutMs: 1000, maxRetries: 0 });
  } catch (error) {
    if (error instanceof NotFoundError) void error.status.toFixed();
    if (error instanceof ConfigurationError) void error.code;
    if (isSallyportError(error)) void error.code.length;
  }
  const sigHeader = await signWebhook({ payload: '{}', secret: 'whsec_test', timestamp: 1_795_168_800_000 });
  const event = await verifyWebhook({ payload: '{}', sigHeader, secret: 'whsec_test' }).catch((error: unknown) => {
    if (error instanceof WebhookVerificationError && error.reason === 'timestamp_too_old') return {};
    if (error instanceof SallyportError) return {};
    throw error;
  });
  void [createdAt, after, name, response.status, event];
  await emulator.close();
}
