import { expect, test } from 'vitest';
import { isInfrastructureFailure } from '../../src/streams/infrastructure.js';
import { failureOf } from '../servers/server.js';
import { startWorld, until } from './world.js';

const coded = (code: unknown, message = 'failed') => Object.assign(new Error(message), { code });

test.each([
  ['a refused connection', coded('ECONNREFUSED')],
  ['a broken connection', coded('EPIPE')],
  ['a lost connection of pg', new Error('Connection terminated unexpectedly')],
  ['a pg pool without a free connection', new Error('timeout exceeded when trying to connect')],
  ['a lost connection of postgres.js', coded('CONNECTION_CLOSED')],
  ['a server that shuts down', coded('57P01')],
  ['a server that is still starting', coded('57P03')],
  ['a server with too many connections', coded('53300')],
  ['a rejected database password', coded('28P01')],
  ['a serialization failure', coded('40001')],
  ['a deadlock', coded('40P01')],
  ['a lock timeout', coded('55P03')],
  ['an idle transaction timeout', coded('25P03')],
  ['a statement timeout', coded('57014')],
  ['a SQLite database locked by another process', coded('SQLITE_BUSY_SNAPSHOT')],
  ['a SQLite database locked by another connection', coded('ERR_SQLITE_ERROR', 'database is locked')],
  ['a closed Redis connection', new Error('Connection is closed.')],
  ['a Redis server that is still starting', new Error('LOADING Redis is loading the dataset in memory')],
  ['a request timeout', new DOMException('The operation was aborted due to timeout', 'TimeoutError')],
  ['a connection reset as its cause', new Error('fetch failed', { cause: coded('ECONNRESET') })],
])('an error that reports %s is classified as an infrastructure failure', (_, error) => {
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
  ['a TypeError in the handler', new TypeError("Cannot read properties of undefined (reading 'email')")],
  ['a unique constraint violation', coded('23505')],
  ['an error for a missing table', coded('42P01')],
  ['an error for a statement in an aborted transaction', coded('25P02')],
  ['an error for a missing file', coded('ENOENT')],
  ['an error with a numeric code', coded(57014)],
  ['an error with status 500 from an unrelated service', Object.assign(new Error('Not Found'), { status: 500 })],
  ['an error that is its own cause', circle],
  ['a thrown string', 'ECONNREFUSED'],
  ['the thrown value undefined', undefined],
])('%s is classified as a handler failure', (_, error) => {
  expect(isInfrastructureFailure(error)).toBe(false);
});

test.each([
  [true, 429],
  [true, 503],
  [false, 403],
])(
  'isInfrastructureFailure() returns %s for an error with status %i from the identity service',
  async (isInfrastructure, status) => {
    const { client, emulator } = await startWorld();
    await emulator.failNext('users.list', { status });

    const error = await failureOf(client.userManagement.listUsers().then());

    expect(isInfrastructureFailure(error)).toBe(isInfrastructure);
  },
);

test('an infrastructure failure delays an event without counting an attempt', async () => {
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

test('an error for which isOutage returns true does not count as an attempt', async () => {
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

test('isOutage is called only for unknown errors, and a call that throws is treated as false', async () => {
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

test('the health line of a stream shows an outage and the error', async () => {
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

test('a stream counts the attempts before and after an outage together', async () => {
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

test('a stream reports an outage if a dead letter cannot be stored', async () => {
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
  ['an error with an unreadable message', () => throwing('message')],
  ['an error with unreadable fields', () => throwing('message', 'name', 'code', 'cause', 'status', 'retryAfterMs')],
  ['a revoked proxy', revoked],
  ['an object without a prototype', () => Object.create(null)],
  ['a symbol', () => Symbol('thrown')],
])('a stream continues if a handler, onPoison or onProblem throws %s', async (_, made) => {
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
});

test('an infrastructure failure is recognized even if the error has an unreadable message', () => {
  expect(isInfrastructureFailure(Object.assign(throwing('message'), { code: 'ECONNREFUSED' }))).toBe(true);
});
