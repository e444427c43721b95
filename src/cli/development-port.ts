import { configIn } from './config-file.js';
import type { Framework, Manifest } from './frameworks.js';
import { commandsOf } from './script-commands.js';
import { fileVariable } from './variables.js';

/**
 * Find the port of a development server: from the command that starts it, the dev script, a variable, a file such as `.env`, or the
 * configuration of the framework.
 *
 * @param command The command that starts the application, if it is known.
 * @param variable The variable `PORT`.
 */
export function developmentPort(
  folder: string,
  { scripts = {} }: Manifest,
  framework: Framework | undefined,
  { command = '', variable = '' } = {},
): number {
  const { port = 3000, readsPort = true, readsFiles = false, program = /./, config } = framework ?? {};
  const flag = readsPort ? flagOrVariable : portFlag;
  const inCommand = (line: string, seen?: readonly string[]): number | undefined => {
    for (const one of commandsOf(line, { folder, scripts }, seen)) {
      const found = program.test(one) ? portIn(flag.exec(one.replace(/\$\{\w+:-(\d+)\}/g, '$1'))) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  const numberIn = (text: string): number | undefined => portIn(/^(\d+)$/.exec(text));
  const found =
    inCommand(command) ??
    inCommand(scripts.dev ?? '', ['dev']) ??
    (readsPort ? numberIn(variable) : undefined) ??
    (readsFiles ? numberIn(fileVariable(folder, 'PORT')) : undefined) ??
    (config && portInConfig(configIn(folder, config.files) ?? '', config.section));
  return found ?? port;
}

const portFlag = /(?:\s--port(?:=|\s+)|\s-p(?:=|\s*))(\d+)(?=\s|$)/;
const flagOrVariable = /(?:\s--port(?:=|\s+)|\s-p(?:=|\s*)|(?:^|\s)PORT=)(\d+)(?=\s|$)/;

/** Find `server: { port: 8080 }` in a configuration. Ignores ports of objects within the section, such as `hmr`. */
function portInConfig(text: string, name: string): number | undefined {
  const [, after = ''] = text.split(new RegExp(`\\b${name}\\s*:\\s*\\{`));
  let section = after;
  for (let before = ''; before !== section; ) {
    before = section;
    section = before.replace(/\{[^{}]*\}/g, '');
  }
  return portIn(/\bport\s*:\s*(\d+)/.exec(section.split('}')[0] ?? ''));
}

function portIn(match: RegExpExecArray | null): number | undefined {
  const port = Number(match?.[1]);
  return port > 0 && port < 65_536 ? port : undefined;
}
