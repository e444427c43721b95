import { execFileSync } from 'node:child_process';

/** Globals that make Node start something expensive, or that a runtime forbids at module scope. */
const watched = ['fetch', 'Request', 'Headers', 'Response', 'FormData', 'WebSocket', 'crypto'];

/** The watched globals that modules use while a new process loads them one after the other with `import` or `require`. */
export function touchedWhileLoading(
  how: 'import' | 'require',
  specifiers: readonly string[],
  folder: string,
): Record<string, string[]> {
  const watch = `
    const touched = {};
    let loading;
    for (const name of ${JSON.stringify(watched)}) {
      const own = Object.getOwnPropertyDescriptor(globalThis, name);
      if (!own) continue;
      Object.defineProperty(globalThis, name, {
        configurable: true,
        get() { (touched[loading] ??= []).push(name); return own.get ? own.get.call(globalThis) : own.value; },
      });
    }`;
  const load =
    how === 'import'
      ? 'await import(loading);'
      : "(await import('node:module')).createRequire(process.cwd() + '/')(loading);";
  const program = `${watch}
    for (loading of ${JSON.stringify(specifiers)}) ${load}
    process.stdout.write(JSON.stringify(touched));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  return JSON.parse(output);
}
