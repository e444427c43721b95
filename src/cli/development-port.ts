import { configIn } from './config-file.js';
import type { Framework, Manifest } from './frameworks.js';

/**
 * Find the port of a development server: from the command that starts it, the dev script, a variable, or the configuration of the
 * framework.
 *
 * @param command The command that starts the application, if it is known.
 * @param variable The variable `PORT`.
 */
export function developmentPort(
  folder: string,
  { scripts }: Manifest,
  framework: Framework | undefined,
  { command = '', variable = '' } = {},
): number {
  const { port = 3000, readsPort = true, program = /./, config } = framework ?? {};
  const found =
    portInCommand(command, program) ??
    portInCommand(scripts?.dev ?? '', program) ??
    portIn(readsPort ? /^(\d+)$/.exec(variable) : null) ??
    (config && portInConfig(configIn(folder, config.files) ?? '', config.section));
  return found ?? port;
}

/** Find the port in the part of a command that starts the server: an emulator in it has another port. */
function portInCommand(text: string, program: RegExp): number | undefined {
  const parts = text
    .split(/&&|\|\||[;&|"']|\s--\s/)
    .filter((part) => program.test(part) && !/\bsallyport\b/.test(part));
  const ports = parts.map((part) =>
    portIn(/(?:\s--port(?:=|\s+)|\s-p(?:=|\s*)|(?:^|\s)PORT=)(\d+)(?=\s|$)/.exec(part)),
  );
  return ports.find((port) => port !== undefined);
}

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
