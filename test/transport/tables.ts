import { readFileSync } from 'node:fs';

/** The rows of a table in a page of the documentation, found by its first heading. Each row has the headings of the table as keys. */
export function tableOf(page: string, heading: string): Record<string, string>[] {
  const lines = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8').split('\n');
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const at = lines.findIndex((line) => line.startsWith('|') && cells(line)[0] === heading);
  if (at < 0) throw new Error(`${page} has no table that begins with ${heading}`);
  const headings = cells(lines[at]!);
  const rows = lines.slice(at + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) => Object.fromEntries(cells(line).map((cell, i) => [headings[i]!, cell])));
}

/** A cell without code marks. */
export const plain = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '');
