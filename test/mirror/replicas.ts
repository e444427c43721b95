import { type ChildProcess, fork } from 'node:child_process';
import { once as emitted } from 'node:events';
import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A process that runs a mirror, and what it last reported. */
export interface Replica {
  readonly child: ChildProcess;
  state: string;
  port: number;
}

/** The processes of an application that runs a mirror, behind one address. */
export class Replicas {
  readonly #program: string;
  readonly #runtime: string;
  #replicas: Replica[] = [];
  #balancer: Server | undefined;
  #requests = 0;

  constructor(program: string, runtime = process.execPath) {
    this.#program = program;
    this.#runtime = runtime;
  }

  start(env: Readonly<Record<string, string>>): Replica {
    const child = fork(this.#program, { execPath: this.#runtime, env: { ...process.env, ...env } });
    const replica: Replica = { child, state: 'new', port: 0 };
    child.on('message', (message: Partial<Replica>) => Object.assign(replica, message));
    child.on('exit', () => Object.assign(replica, { state: 'ended' }));
    this.#replicas.push(replica);
    return replica;
  }

  async kill(replica: Replica): Promise<void> {
    this.#replicas = this.#replicas.filter((one) => one !== replica);
    const { child } = replica;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await emitted(child, 'exit');
  }

  /** Stop a process for some time. Its last report does not count any more. */
  async stopFor(replica: Replica, ms: number): Promise<void> {
    replica.child.kill('SIGSTOP');
    replica.state = 'stopped';
    await pause(ms);
    replica.child.kill('SIGCONT');
  }

  /** What the processes do, in alphabetical order. */
  get states(): readonly string[] {
    return this.#replicas.map(({ state }) => state).sort();
  }

  /** Wait until a process is in this state. */
  async withState(state: string): Promise<Replica> {
    for (;;) {
      const found = this.#replicas.find((one) => one.state === state);
      if (found) return found;
      await pause(5);
    }
  }

  /** Query the database of a process. */
  async query(sql: string): Promise<Readonly<Record<string, unknown>>[]> {
    const { child } = await this.withState('following');
    return new Promise((resolve) => {
      const take = ({ rows }: { readonly rows?: Readonly<Record<string, unknown>>[] }): void => {
        if (!rows) return;
        child.off('message', take);
        resolve(rows);
      };
      child.on('message', take);
      child.send(sql);
    });
  }

  /** Start the address of the application, which passes requests on to one process after another. */
  async listen(): Promise<string> {
    const balancer = createServer((request, response) => {
      const { port = 0 } = this.#replicas[this.#requests++ % this.#replicas.length] ?? {};
      const { method, url, headers } = request;
      const passed = send({ host: '127.0.0.1', port, method, path: url, headers, timeout: 5_000 }, (answer) => {
        response.writeHead(answer.statusCode!);
        answer.pipe(response);
      });
      passed.on('timeout', () => passed.destroy());
      passed.on('error', () => response.writeHead(502).end());
      request.pipe(passed);
    });
    this.#balancer = balancer;
    await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
    // Listening on a port gives an address with a port.
    return `http://127.0.0.1:${(balancer.address() as AddressInfo).port}/webhooks`;
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((one) => this.kill(one)));
    this.#balancer?.close();
    this.#balancer?.closeAllConnections();
  }
}
