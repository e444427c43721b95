import { execFileSync } from 'node:child_process';

/** Globals that make Node start something heavy, or that a runtime forbids at module scope. */
const watched = ['fetch', 'Request', 'Headers', 'Response', 'FormData', 'WebSocket', 'crypto'];

/** Which of the watched globals a module touches while it loads, by `import` or by `require`, in a process of its own. */
export function touchedWhileLoading(how: 'import' | 'require', specifier: string, folder: string): string[] {
  const watch = `
    const touched = new Set();
    for (const name of ${JSON.stringify(watched)}) {
      const own = Object.getOwnPropertyDescriptor(globalThis, name);
      if (!own) continue;
      Object.defineProperty(globalThis, name, {
        configurable: true,
        get() { touched.add(name); return own.get ? own.get.call(globalThis) : own.value; },
      });
    }`;
  const load =
    how === 'import'
      ? `await import(${JSON.stringify(specifier)});`
      : `(await import('node:module')).createRequire(process.cwd() + '/')(${JSON.stringify(specifier)});`;
  const program = `${watch}\n${load}\nprocess.stdout.write(JSON.stringify([...touched]));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  return JSON.parse(said);
}
