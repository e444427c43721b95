import { posix } from 'node:path';
import { operations } from '../src/service/operations.js';
import { publicCounts } from './operations-table.js';

const toPage = /\]\((?!https?:)([^)#]+)/g;

/** Build `llms.txt`, the index for coding agents: that of the documents, with paths relative to the root of the package. */
export function llmsIndex(index: string): string {
  const [, ...sections] = index.split('\n## ');
  const { here, all } = publicCounts(Object.values(operations));
  return [
    '# Sallyport',
    `> Typed client for an identity service, with sessions, webhooks, event streams and an emulator of all operations of its specification, ${here} of the public service's ${all}.`,
    'Paths are relative to this file. In a project, it is `node_modules/sallyport/llms.txt`. Begin with `docs/tour.md`.',
    ...sections.map((section) => `## ${section.trim()}`),
    '',
  ]
    .join('\n\n')
    .replace(toPage, (_, path: string) => `](${posix.join('docs', path)}`)
    .replace(/\n+$/, '\n');
}
