import { type Profiler, Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** List the files of `src` that run a function during a call. Two calls before it load and cache what they need. */
export async function visitedFiles(call: () => Promise<unknown>): Promise<string[]> {
  await call();
  await call();
  const session = new Session();
  session.connect();
  try {
    session.post('Debugger.enable');
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await call();
    return scriptsThatRan(session);
  } finally {
    session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

function scriptsThatRan(session: Session): string[] {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  // The session is in this thread, so `post` calls back before it returns.
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error;
    scripts = result;
  });
  const paths = scripts
    .map((script) => ({ script, path: script.url.replace(/^file:\/\//, '').replace(/\?.*$/, '') }))
    .filter(({ script, path }) => path.startsWith(`${root}src/`) && hasRun(session, script))
    .map(({ path }) => path.slice(root.length));
  return [...new Set(paths)].sort();
}

/** The form of an export that Vitest compiles. It runs when another file reads the export. */
const exported = /^\(\) => \{ try \{ return [\w.]+ \} catch \{\} \}$/;

function hasRun(session: Session, { scriptId, functions }: Profiler.ScriptCoverage): boolean {
  let source = '';
  session.post('Debugger.getScriptSource', { scriptId }, (error, { scriptSource }) => {
    if (error) throw error;
    source = scriptSource;
  });
  return functions
    .flatMap(({ ranges: [whole] }) => (whole && whole.count > 0 ? [whole] : []))
    .some(({ startOffset, endOffset }) => !exported.test(source.slice(startOffset, endOffset)));
}
