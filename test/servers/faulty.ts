import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator, type Fault } from 'sallyport/emulator';
import { onTestFinished } from 'vitest';

type Options = NonNullable<ConstructorParameters<typeof Sallyport>[0]>;

/** A service that fails on request. */
export interface FaultyService {
  readonly emulator: Emulator;
  /** A client that reaches it over HTTP. */
  client(options?: Options): Sallyport;
  /** How many requests it has answered, those included whose answers were lost. */
  answered(): number;
}

/** Starts a real service on this machine, with the organization `org_01`, Acme, and the endpoint `we_01`. The caller must close its emulator. */
export async function startService(faults: readonly Fault[] = []): Promise<FaultyService> {
  const emulator = await createEmulator({
    faults,
    seed: {
      organizations: [{ id: 'org_01', name: 'Acme' }],
      webhook_endpoints: [
        { id: 'we_01', endpoint_url: 'http://127.0.0.1:1/', events: ['user.created'], status: 'disabled' },
      ],
    },
  });
  await emulator.listen();
  const { credentials } = emulator;
  let answered = 0;
  emulator.onRequest(() => {
    answered += 1;
  });
  return {
    emulator,
    client: (options) => new Sallyport({ ...credentials, ...options }),
    answered: () => answered,
  };
}

/** Starts such a service with these faults, in this order. It is closed when the test ends. */
export async function faulty(...faults: readonly Fault[]): Promise<FaultyService> {
  const service = await startService(faults);
  onTestFinished(() => service.emulator.close());
  return service;
}
