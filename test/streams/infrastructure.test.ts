import { expect, test } from 'vitest';
import { isInfrastructureFailure } from '../../src/streams/infrastructure.js';
import { failureOf } from '../servers/server.js';
import { startWorld, until } from './world.js';

const coded = (code: unknown, message = 'failed') => Object.assign(new Error(message), { code });

test.each([
  ['a refused connection', coded('ECONNREFUSED')],
  ['a broken connection', coded('EPIPE')],
  ['a connection that pg lost', new Error('Connection terminated unexpectedly')],
  ['a pg pool without a free connection', new Error('timeout exceeded when trying to connect')],
  ['a connection that postgres lost', coded('CONNECTION_CLOSED')],
  ['a server that shuts down', coded('57P01')],
  ['a server that is still starting', coded('57P03')],
  ['a server with too many connections', coded('53300')],
  ['a password that was just changed', coded('28P01')],
  ['a serialization failure', coded('40001')],
  ['a deadlock', coded('40P01')],
  ['a lock that was not free in time', coded('55P03')],
  ['a transaction that was idle for too long', coded('25P03')],
  ['a statement canceled by a time limit', coded('57014')],
  ['a SQLite database locked by another process', coded('SQLITE_BUSY_SNAPSHOT')],
  ['a SQLite database locked by another connection', coded('ERR_SQLITE_ERROR', 'database is locked')],
  ['a Redis connection that ended', new Error('Connection is closed.')],
  ['a Redis server that is still starting', new Error('LOADING Redis is loading the dataset in memory')],
  ['a request that took too long', new DOMException('The operation was aborted due to timeout', 'TimeoutError')],
  ['a failure inside another error', new Error('fetch failed', { cause: coded('ECONNRESET') })],
])('an error that reports %s is an infrastructure failure', (_, error) => {
  expect(isInfrastructureFailure(error)).toBe(true);
});

/** Creates an error that throws if one of these fields is read. */
function throwing(...fields: readonly string[]): Error {
  const error = new Error('unreadable');
  for (const field of fields)
    Object.defineProperty(error, field, {
      get() {
        throw new Error(`${field} cannot be read`);
      },
    });
  return error;
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const circle = new Error('circle');
circle.cause = circle;

test.each([
  ['an error of the handler', new TypeError("Cannot read properties of undefined (reading 'email')")],
  ['a row that already exists', coded('23505')],
  ['a missing table', coded('42P01')],
  ['a statement after a failed one', coded('25P02')],
  ['a missing file', coded('ENOENT')],
  ['a number as the code', coded(57014)],
  ['a response from another service', Object.assign(new Error('Not Found'), { status: 500 })],
  ['an error that causes itself', circle],
  ['a string', 'ECONNREFUSED'],
  ['the value undefined', undefined],
])('%s counts as a handler failure', (_, error) => {
  expect(isInfrastructureFailure(error)).toBe(false);
});

test.each([
  [429, true],
  [503, true],
  [403, false],
])(
  'a service error with status %i in a handler may be an infrastructure failure: %s',
  async (status, isInfrastructure) => {
    const { client, emulator } = await startWorld();
    await emulator.failNext('users.list', { status });

    const error = await failureOf(client.userManagement.listUsers().then());

    expect(isInfrastructureFailure(error)).toBe(isInfrastructure);
  },
);

test('an event waits until the infrastructure works again, and no attempt is counted', async () => {
  const { stream, user, problems, waits } = await startWorld();
  await user('ada');
  const attempts: number[] = [];
  const states: string[] = [];
  const letters: unknown[] = [];
  const one = stream({ maxRetries: 0, onPoison: (letter) => letters.push(letter) });
  void one.run((_, { attempt }) => {
    attempts.push(attempt);
    states.push(one.status().state);
    if (attempts.length < 8) throw coded('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432');
  });
  await until(() => one.status().handled === 1);

  expect(attempts).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  expect(states).toEqual(['following', ...Array(7).fill('outage')]);
  expect(one.status().state).toBe('following');
  expect(letters).toEqual([]);
  expect(problems).toMatchObject([{ code: 'infrastructure', event: { event: 'user.created' } }]);
  // The wait doubles from one second to half a minute, minus up to a quarter.
  expect([waits[0]! <= 1_000, waits[1]! >= 1_500, waits[6]! >= 22_500, waits[6]! <= 30_000]).toEqual(
    Array(4).fill(true),
  );
});

test('an event waits if `isOutage` returns true, and counts attempts for other errors', async () => {
  const { stream, user } = await startWorld();
  await user('ada');
  const failures = [
    coded('EQUEUEFULL'),
    coded('EQUEUEFULL'),
    coded('EBADEVENT'),
    coded('EQUEUEFULL'),
    coded('EBADEVENT'),
  ];
  const attempts: number[] = [];
  const asked: unknown[] = [];
  const isOutage = (error: unknown) => {
    asked.push((error as { code: unknown }).code);
    return (error as { code: unknown }).code === 'EQUEUEFULL';
  };

  const error = await failureOf(
    stream({ maxRetries: 1, isOutage }).run((_, { attempt }) => {
      attempts.push(attempt);
      throw failures[attempts.length - 1];
    }),
  );

  expect(attempts).toEqual([1, 1, 1, 2, 2]);
  expect(asked).toEqual(['EQUEUEFULL', 'EQUEUEFULL', 'EBADEVENT', 'EQUEUEFULL', 'EBADEVENT']);
  expect(error).toMatchObject({ code: 'poison_event', letter: { attempts: 2 } });
});

test('`isOutage` is not called for known errors, and counts as false if it throws', async () => {
  const { stream, user } = await startWorld();
  await user('ada');
  let asked = 0;
  const isOutage = () => {
    asked += 1;
    throw new Error('broken rule');
  };
  const failures = [coded('ECONNREFUSED'), new Error('no')];

  const error = await failureOf(
    stream({ maxRetries: 0, isOutage }).run(() => {
      throw failures.shift();
    }),
  );

  expect(asked).toBe(1);
  expect(error).toMatchObject({ code: 'poison_event', cause: { message: 'no' } });
});

test('the health line shows an outage and its error', async () => {
  const { stream, user } = await startWorld();
  await user('ada');
  const one = stream();
  const lines: string[] = [];
  void one.run(() => {
    if (lines.push(one.health().line) < 3) throw coded('57P03', 'the database system is starting up');
  });
  await until(() => one.status().handled === 1);

  expect(lines[2]).toMatch(/^outage: lag .*: the database system is starting up$/);
});

test('the attempts before and after an outage are counted together', async () => {
  const { stream, user } = await startWorld();
  await user('ada');
  const failures = [new Error('no'), coded('57P01'), coded('57P01'), new Error('no')];
  const attempts: number[] = [];
  const one = stream({ maxRetries: 1 });

  const error = await failureOf(
    one.run((_, { attempt }) => {
      attempts.push(attempt);
      throw failures[attempts.length - 1];
    }),
  );

  expect(attempts).toEqual([1, 2, 2, 2]);
  expect(error).toMatchObject({ code: 'poison_event', letter: { attempts: 2 } });
});

test('an outage is reported if a dead letter cannot be stored', async () => {
  const { stream, user } = await startWorld();
  await user('ada');
  const states: string[] = [];
  const one = stream({
    maxRetries: 0,
    onPoison() {
      if (states.push(one.status().state) < 3) throw new Error('no database');
    },
  });
  void one.run(() => Promise.reject(new Error('no')));
  await until(() => one.status().handled === 1);

  expect([...states, one.status().state]).toEqual(['following', 'outage', 'outage', 'following']);
});

test.each([
  ['whose message throws', () => throwing('message')],
  ['whose fields all throw', () => throwing('message', 'name', 'code', 'cause', 'status', 'retryAfterMs')],
  ['that is a revoked proxy', revoked],
  ['without a prototype', () => Object.create(null)],
  ['that is a symbol', () => Symbol('thrown')],
])(
  'a thrown value %s does not end the stream, whether it comes from a handler, onPoison or onProblem',
  async (_, made) => {
    const thrown: unknown = made();
    expect(isInfrastructureFailure(thrown)).toBe(false);
    const { stream, user } = await startWorld();
    await user('ada');
    await user('bob');
    let poisoned = 0;
    const one = stream({
      maxRetries: 1,
      onPoison: () => {
        poisoned += 1;
        if (poisoned < 3) throw thrown;
      },
      onProblem: () => {
        throw thrown;
      },
    });
    const ended = one.run((event) => {
      if ((event.data as { readonly email: string }).email.startsWith('ada')) throw thrown;
    });

    await until(() => one.status().handled === 2);

    expect(poisoned).toBe(3);
    await one.close();
    await ended;
  },
);

test('an infrastructure failure is recognized even if its message throws', () => {
  expect(isInfrastructureFailure(Object.assign(throwing('message'), { code: 'ECONNREFUSED' }))).toBe(true);
});
